#include "render/rows.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/num.h"

bool
rows_fill(const struct tree *t, uint32_t type, struct row *rows, int64_t *all,
          struct err *e)
{
	int64_t *total = xmalloc(t->n * sizeof *total);
	uint32_t *open = xcalloc(t->nframes + 1UL, sizeof *open);
	uint32_t *node = NULL, depth = 0;
	size_t cap = 0;
	bool ok = tree_totals(t, type, total, e);

	for (uint32_t i = 0; i < t->nframes; i++)
		rows[i] = (struct row){ .frame = i };
	for (uint32_t i = 1; i < t->n && ok; i++) {
		struct row *r = &rows[t->frame[i]];

		node = xgrow(node, &cap, depth + 2UL, sizeof *node);
		node[0] = 0;
		while (node[depth] != t->parent[i])
			open[t->frame[node[depth--]]]--;
		ok = num_add_i64(r->self, t->self[type][i], &r->self);
		if (!open[t->frame[i]]++)
			ok = ok && num_add_i64(r->total, total[i], &r->total);
		node[++depth] = i;
		if (!ok)
			err_set(e, ERR_LIMIT, "a sum overflows 64 bits");
	}
	*all = ok ? total[0] : 0;
	free(total);
	free(open);
	free(node);
	return ok;
}

struct str
rows_name(struct buf *b, const struct frame *f, unsigned identity)
{
	bool file = (identity & ID_FILE) && f->file.n && !str_eq(f->file, f->name);
	bool line = (identity & ID_LINE) && f->line;

	if (!file && !line && !(identity & ID_ADDRESS && f->address))
		return f->name;
	b->n = 0;
	if (identity & ID_ADDRESS && f->address)
		buf_printf(b, "%016llx ", (unsigned long long)f->address);
	buf_str(b, f->name);
	if (file)
		buf_printf(b, " %.*s", (int)f->file.n, f->file.p);
	if (line)
		buf_printf(b, ":%lld", (long long)f->line);
	return buf_view(b);
}

void
rows_text(struct sink *sink, struct str name)
{
	size_t from = 0;

	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		/* C0, DEL, and C1 in its UTF-8 form. */
		if (c >= 0x20 && c != 0x7f &&
		    !(c == 0xc2 && i + 1 < name.n &&
		      (unsigned char)name.p[i + 1] < 0xa0))
			continue;
		sink_write(sink, name.p + from, i - from);
		sink_write(sink, "?", 1);
		i += c == 0xc2;
		from = i + 1;
	}
	if (from < name.n)
		sink_write(sink, name.p + from, name.n - from);
}

void
rows_label(struct sink *sink, const struct label *l, const char *separator)
{
	sink_printf(sink, "%s", separator);
	rows_text(sink, l->key);
	sink_write(sink, "=", 1);
	rows_text(sink, l->value);
}

void
rows_type(struct sink *sink, const struct sample_type *s)
{
	rows_text(sink, s->type);
	sink_write(sink, "/", 1);
	rows_text(sink, s->unit);
}

void
rows_cell(struct sink *sink, const char *text, unsigned width)
{
	unsigned n = 0;

	for (const char *p = text; *p; p++)
		n += ((unsigned char)*p & 0xc0) != 0x80;
	sink_printf(sink, "%*s%s", n < width ? (int)(width - n) : 1, "", text);
}
