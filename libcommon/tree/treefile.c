#include "tree/treefile.h"

#include "base/caps.h"
#include "bytes/json.h"
#include "tree/treejson.h"
#include "tree/treepb.h"

static bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool
treefile_sniff(struct str head)
{
	size_t i = 0;

	if (str_starts(head, STR("FPT1")) || str_starts(head, STR("FPE1")))
		return true;
	while (i < head.n && is_space(head.p[i]))
		i++;
	if (i == head.n || head.p[i++] != '{')
		return false;
	while (i < head.n && is_space(head.p[i]))
		i++;
	head = (struct str){ head.p + i, head.n - i };
	return str_starts(head, STR("\"tree\"")) ||
	        str_starts(head, STR("\"sample_types\""));
}

static bool
too_long(const struct treefile *f, struct err *e)
{
	return err_at(e, ERR_LIMIT, source_offset(f->source),
	              "longer than %llu bytes (--max-record)",
	              (unsigned long long)f->max_record);
}

static bool
next_json(struct treefile *f, struct tree *t, struct err *e)
{
	struct json_scan scan = { 0 };
	struct str view;
	struct cur c;
	size_t want = 1 << 16, len;

	for (;; want = view.n * 2) {
		if (!source_peek(f->source, want, &view, e))
			return false;
		if ((len = json_extent(&scan, view)) || view.n < want)
			break;
		if (view.n > f->max_record)
			return too_long(f, e);
	}
	c = cur_of((struct str){ view.p, len ? len : view.n });
	if (cur_left(&c) > f->max_record)
		return too_long(f, e);
	c.origin = source_offset(f->source);
	if (!treejson_read(c, t, e))
		return false;
	source_skip(f->source, len ? len : view.n);
	return true;
}

static bool
next_pb(struct treefile *f, enum treefile_kind *what, struct tree *t,
        struct envelope *v, struct err *e)
{
	struct str view;
	struct cur c;
	uint64_t len, start = source_offset(f->source);
	size_t head;
	bool tree;

	if (!source_peek(f->source, 16, &view, e))
		return false;
	tree = view.p[2] == 'T';
	c = cur_of(view);
	c.origin = start;
	if (!cur_skip(&c, 4, e) || !cur_varint(&c, &len, e))
		return false;
	head = (size_t)(c.p - c.base);
	if (len > f->max_record)
		return too_long(f, e);
	if (!source_peek(f->source, head + (size_t)len, &view, e))
		return false;
	if (view.n < head + len)
		return err_at(e, ERR_FORMAT, start, "%llu bytes announced, %zu left",
		              (unsigned long long)len, view.n - head);
	view = (struct str){ view.p + head, (size_t)len };
	if (!(tree ? treepb_read(view, t, e) : treepb_read_envelope(view, v, e))) {
		if (e && !e->has_offset) {
			e->has_offset = true;
			e->offset = start;
		}
		return false;
	}
	source_skip(f->source, head + (size_t)len);
	*what = tree ? TREEFILE_TREE : TREEFILE_ENVELOPE;
	return true;
}

static bool
next(struct treefile *f, enum treefile_kind *what, struct tree *t, struct envelope *v,
     struct err *e)
{
	struct str view;
	size_t i;

	if (!f->max_record)
		f->max_record = CAP_RECORD;
	do {
		if (!source_peek(f->source, 4, &view, e))
			return false;
		for (i = 0; i < view.n && is_space(view.p[i]); i++)
			;
		source_skip(f->source, i);
	} while (i && i == view.n);
	if (i && !source_peek(f->source, 4, &view, e))
		return false;
	if (!view.n) {
		*what = TREEFILE_END;
		return true;
	}
	f->record++;
	if (view.p[0] == '{') {
		*what = TREEFILE_TREE;
		return next_json(f, t, e);
	}
	if (str_starts(view, STR("FPT1")) || str_starts(view, STR("FPE1")))
		return next_pb(f, what, t, v, e);
	return err_at(e, ERR_FORMAT, source_offset(f->source),
	              "neither '{' nor FPT1 nor FPE1 begins here");
}

bool
treefile_next(struct treefile *f, enum treefile_kind *what, struct tree *t,
              struct envelope *v, struct err *e)
{
	if (next(f, what, t, v, e))
		return true;
	tree_clear(t);
	envelope_clear(v);
	if (e && e->kind != ERR_IO)
		err_record(e, "record", f->record);
	return err_in(e, source_name(f->source));
}
