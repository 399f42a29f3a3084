/* flamediff - compare call trees. */
#include <stdlib.h>

#include "analysis/diff.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/cli.h"
#include "base/map.h"
#include "render/difftext.h"
#include "render/filter.h"

enum { OPT_BASE = FILTER_OWN, OPT_TARGET, OPT_TEXT, OPT_NORM, OPT_EXIT, OPT_NO_CANON };

static const char synopsis[] =
        "flamediff [--text] [--norm NORM] [-t TYPE] [--by LABEL] [options]\n"
        "       [--base FILE]... [--target FILE]... [BASE TARGET]";
static const char help[] =
        "usage: flamediff [options] [--base FILE]... [--target FILE]... [BASE TARGET]\n"
        "Compare two call trees, or two groups of them: one differential tree.\n"
        "\n"
        "      --base FILE      a profile of the one side (repeat: they are merged)\n"
        "      --target FILE    a profile of the other side (repeat)\n"
        "      --norm NORM      none, share: scale target to the total of base (none)\n"
        "      --no-canon       compare names as they stand\n"
        "      --text           a report instead of a tree, the same as -o text\n"
        "      --exit-code      status 1 if they differ\n"
        "  -i, --input FORMAT   tree, folded, pprof, jfr (default: by content)\n"
        "  -o, --format FORMAT  json, pb, pprof, text\n"
        "  -O, --output FILE    write there, not to standard output\n"
        "  -t, --sample-type T  T is TYPE, TYPE/UNIT, /UNIT, UNIT or an index\n"
        "      --by LABEL       compare what has the same value of it (repeat for "
        "more)\n"
        "      --under LABEL    its values as frames below the root (repeat)\n"
        "      --label K=V      set a label on every document "
        "(repeat)\n" FILTER_HELP_SELECT
        "      --rows N         lines of each table of --text (20; 0: all)\n"
        "      --max-groups N   refuse more documents (10000)\n"
        "      --max-record N   refuse longer records of tree streams (1G)\n"
        "      --keep-going     name broken inputs, go on, status 3\n"
        "      --strict         a damaged input or a lone document is an error\n"
        "      --progress WHEN  say how far reading is: auto, always, never\n"
        "  -q, --quiet          no warnings\n"
        "  -v, --verbose        say what was compared\n"
        "  -h, --help           show this help\n"
        "  -V, --version        show the version\n"
        "\n"
        "example: flamediff --text --norm share before.pb.gz after.pb.gz\n";

/* The documents of one side, and what pairs them. */
struct side {
	const char *name;
	char **files;
	size_t nfiles, cfiles;
	struct tree *tree;
	size_t n;
	uint32_t *key; /* event and --by labels, interned */
	bool *done;    /* compared */
	bool *lacks;   /* the type of -t */
};

struct program {
	struct filter f;
	struct diff_opts diff;
	struct side side[2];
	bool text, exit_code, lone, differs;
	struct tree *out;
	size_t n, cap;
};

/* ---- reading ---- */

static void
name_keys(const struct program *p, struct side *s, struct intern *keys)
{
	struct buf key = { 0 };

	s->key = xcalloc(s->n, sizeof *s->key);
	s->done = xcalloc(s->n, sizeof *s->done);
	s->lacks = xcalloc(s->n, sizeof *s->lacks);
	for (size_t i = 0; i < s->n; i++) {
		const struct meta *m = &s->tree[i].meta;

		key.n = 0;
		for (size_t k = 0; k <= p->f.group.nby; k++) {
			struct str v =
			        label_get(m->labels, m->nlabels,
			                  k ? str_of(p->f.by[k - 1]) : STR("event"));

			buf_int(&key, v.p ? (int64_t)v.n : -1);
			buf_char(&key, ':');
			buf_str(&key, v);
		}
		s->key[i] = intern_id(keys, buf_view(&key));
	}
	buf_clear(&key);
}

static bool
read_side(struct program *p, struct side *s, struct intern *keys, struct err *e)
{
	struct filter *f = &p->f;

	for (size_t i = 0; i < s->nfiles; i++) {
		if (filter_read(f, s->files[i], e))
			continue;
		if (!f->keep_going)
			return false;
		cli_fail(e);
		*e = (struct err){ 0 };
	}
	if (!filter_finish(f, &s->tree, &s->n, e))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (s->tree[i].sides) {
			err_set(e, ERR_FORMAT,
			        "a differential document; compare what it was made "
			        "from");
			return err_in(e, s->nfiles == 1 ? s->files[0] : s->name);
		}
	name_keys(p, s, keys);
	return true;
}

/* ---- pairing ---- */

/* A document by its event and --by labels, for messages: "cpu, service=shop". */
static const char *
document_name(const struct program *p, const struct tree *t, char *buf, size_t size)
{
	const struct meta *m = &t->meta;
	size_t at = 0;

	buf[0] = '\0';
	for (size_t k = 0; k <= p->f.group.nby && at < size; k++) {
		const char *by = k ? p->f.by[k - 1] : "event";
		struct str v = label_get(m->labels, m->nlabels, str_of(by));

		if (!v.p)
			at += (size_t)snprintf(buf + at, size - at, "%s(no %s)",
			                       k ? ", " : "", by);
		else
			at += (size_t)snprintf(buf + at, size - at, "%s%s%s%.*s",
			                       k ? ", " : "", k ? by : "", k ? "=" : "",
			                       (int)v.n, v.p);
	}
	/* It goes to a terminal. */
	for (char *c = buf; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return buf;
}

/* Whether the sample types of two documents can be compared, with -t that one alone. */
static bool
comparable(const struct program *p, const struct meta *b, const struct meta *t)
{
	const char *name = p->f.output.type;
	struct err ignored = { 0 };
	uint32_t kb, kt;

	if (!name)
		return diff_comparable(b, t);
	return meta_type(b, name, &kb, &ignored) && meta_type(t, name, &kt, &ignored) &&
	        str_eq(b->types[kb].type, t->types[kt].type) &&
	        str_eq(b->types[kb].unit, t->types[kt].unit);
}

static bool
keep_type(const struct program *p, struct tree *t, struct err *e)
{
	uint32_t k;

	if (!p->f.output.type)
		return true;
	if (!meta_type(&t->meta, p->f.output.type, &k, e))
		return false;
	tree_keep_type(t, k);
	return true;
}

static bool
compare(struct program *p, struct tree *b, struct tree *t, struct err *e)
{
	struct tree d = { 0 };
	char name[160];

	document_name(p, b, name, sizeof name);
	if (!keep_type(p, b, e) || !keep_type(p, t, e) ||
	    !diff_trees(b, t, &p->diff, &d, e))
		return err_in(e, name);
	for (uint32_t k = 0; k < b->meta.ntypes && !p->differs; k++)
		p->differs = diff_differs(&d, k);
	if (p->f.verbose)
		cli_note("%s: %u nodes of base, %u of target, %u of both together",
		         name, b->n, t->n, d.n);
	p->out = xgrow(p->out, &p->cap, p->n + 1, sizeof *p->out);
	p->out[p->n++] = d;
	tree_clear(b);
	tree_clear(t);
	return true;
}

/* The first document of the other side that is not compared yet and fits. */
static size_t
find_partner(const struct program *p, size_t i, bool any_types)
{
	const struct side *b = &p->side[0], *t = &p->side[1];
	size_t j = 0;

	for (; j < t->n; j++) {
		if (t->done[j] || t->key[j] != b->key[i])
			continue;
		if (any_types ? !b->lacks[i] || !t->lacks[j]
		              : comparable(p, &b->tree[i].meta, &t->tree[j].meta))
			break;
	}
	return j;
}

static bool
pair(struct program *p, bool any_types, struct err *e)
{
	struct side *b = &p->side[0], *t = &p->side[1];

	for (size_t i = 0; i < b->n; i++) {
		size_t j;

		if (b->done[i] || (j = find_partner(p, i, any_types)) == t->n)
			continue;
		b->done[i] = t->done[j] = true;
		if (!compare(p, &b->tree[i], &t->tree[j], e))
			return false;
	}
	return true;
}

/* With -t, documents that have no such type are not asked for; one must have it. */
static bool
look_for_type(struct program *p, struct err *e)
{
	struct err first = { 0 };
	bool any = false;

	if (!p->f.output.type)
		return true;
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->side[s].n; i++) {
			struct err why = { 0 };
			uint32_t k;
			bool has = meta_type(&p->side[s].tree[i].meta, p->f.output.type,
			                     &k, &why);

			p->side[s].lacks[i] = !has;
			any = any || has;
			if (first.kind == ERR_NONE)
				first = why;
		}
	if (!any && first.kind != ERR_NONE)
		*e = first;
	return any || first.kind == ERR_NONE;
}

static void
name_lone(struct program *p)
{
	char name[160];

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->side[s].n; i++) {
			if (p->side[s].done[i] || p->side[s].lacks[i])
				continue;
			p->lone = true;
			cli_warn("only %s has %s", p->side[s].name,
			         document_name(p, &p->side[s].tree[i], name,
			                       sizeof name));
		}
}

static int
document_cmp(const void *a, const void *b)
{
	return tree_order(a, b);
}

static bool
compare_all(struct program *p, struct err *e)
{
	/* What is left of the same event differs in sample types: the error says how.
	 */
	if (!look_for_type(p, e) || !pair(p, false, e) || !pair(p, true, e))
		return false;
	name_lone(p);
	if (p->lone && p->f.strict)
		return err_set(e, ERR_FORMAT, "not all could be compared (--strict)");
	if (p->n)
		qsort(p->out, p->n, sizeof *p->out, document_cmp);
	return true;
}

/* ---- writing ---- */

static bool
write_text(struct program *p, struct err *e)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct tree *t = &p->out[i];
		uint32_t n = t->meta.ntypes / 2;

		if (i)
			sink_write(p->f.sink, "\n", 1);
		if (!difftext_write(t, t->meta.shown < n ? t->meta.shown : n - 1,
		                    p->f.output.rows, p->f.sink, e))
			return false;
	}
	return true;
}

static bool
write_all(struct program *p, struct err *e)
{
	if (p->text)
		return write_text(p, e);
	p->f.output.type = NULL; /* it is the only one already */
	return output_trees(p->out, p->n, &p->f.output, p->f.sink, e);
}

static int
run(struct program *p)
{
	struct intern keys = { 0 };
	struct err e = { 0 };
	bool ok;

	p->f.input.warn = p->diff.warn = cli_warner(NULL);
	p->f.input.progress = cli_progress(p->f.progress, p->f.quiet);
	ok = filter_open(&p->f, &e) && read_side(p, &p->side[0], &keys, &e) &&
	        read_side(p, &p->side[1], &keys, &e) && compare_all(p, &e) &&
	        write_all(p, &e) && filter_close(&p->f, &e);
	intern_clear(&keys);
	if (!ok)
		return cli_fail(&e);
	if (p->exit_code && p->differs)
		return EXIT_NO;
	return p->lone ? EXIT_PART : filter_status(&p->f);
}

/* ---- options ---- */

static void
add_file(struct side *s, char *file)
{
	s->files = xgrow(s->files, &s->cfiles, s->nfiles + 1, sizeof *s->files);
	s->files[s->nfiles++] = file;
}

static bool
own_option(struct program *p, int c, char *arg, struct err *e)
{
	switch (c) {
	case OPT_BASE:
		add_file(&p->side[0], arg);
		return true;
	case OPT_TARGET:
		add_file(&p->side[1], arg);
		return true;
	case OPT_TEXT:
		return p->text = true;
	case OPT_NORM:
		return diff_norm(arg, &p->diff.norm) ||
		        err_set(e, ERR_USAGE, "--norm: no norm '%.40s'; there are %s",
		                arg, diff_norms);
	case OPT_EXIT:
		return p->exit_code = true;
	default:
		return p->diff.no_canon = true;
	}
}

/* -o takes what can hold two sides. */
static bool
format_option(struct program *p, const char *arg, struct err *e)
{
	enum output_format *o = &p->f.output.format;

	p->text = strcmp(arg, "text") == 0;
	return p->text ||
	        (output_format(arg, o) &&
	         (*o == OUTPUT_JSON || *o == OUTPUT_PB || *o == OUTPUT_PPROF)) ||
	        err_set(e, ERR_USAGE,
	                "-o: no format '%.40s' for two sides; there are json, pb, "
	                "pprof, "
	                "text",
	                arg);
}

static bool
option(struct program *p, int c, char *arg, struct err *e)
{
	if (c == 'o')
		return format_option(p, arg, e);
	switch (filter_option(&p->f, c, arg, e)) {
	case FILTER_TOOK:
		return true;
	case FILTER_NOT_MINE:
		return own_option(p, c, arg, e);
	case FILTER_BAD:
		break;
	}
	return false;
}

/* Operands are the side that no option names, or both, one each. */
static bool
operands(struct program *p, char **files, struct err *e)
{
	struct side *b = &p->side[0], *t = &p->side[1];
	struct side *rest = !b->nfiles ? b : t;
	bool one = !b->nfiles == !t->nfiles; /* at most one more for each side */
	size_t stdins = 0;

	for (size_t i = 0; files[i]; i++) {
		if (one && i)
			rest = t;
		if (one && rest->nfiles)
			return err_set(e, ERR_USAGE, "one operand too many: %.80s",
			               files[i]);
		add_file(rest, files[i]);
	}
	if (!b->nfiles || !t->nfiles)
		return err_set(e, ERR_USAGE, "%s is missing",
		               b->nfiles ? "TARGET" : "BASE");
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < p->side[s].nfiles; i++)
			stdins += strcmp(p->side[s].files[i], "-") == 0;
	return stdins <= 1 ||
	        err_set(e, ERR_USAGE, "standard input (-) can be read once only");
}

static void
program_clear(struct program *p)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < p->side[s].n; i++)
			tree_clear(&p->side[s].tree[i]);
		free(p->side[s].tree);
		free(p->side[s].files);
		free(p->side[s].key);
		free(p->side[s].done);
		free(p->side[s].lacks);
	}
	for (size_t i = 0; i < p->n; i++)
		tree_clear(&p->out[i]);
	free(p->out);
	filter_clear(&p->f);
}

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "base", required_argument, NULL, OPT_BASE },
		{ "target", required_argument, NULL, OPT_TARGET },
		{ "norm", required_argument, NULL, OPT_NORM },
		{ "no-canon", no_argument, NULL, OPT_NO_CANON },
		{ "text", no_argument, NULL, OPT_TEXT },
		{ "exit-code", no_argument, NULL, OPT_EXIT },
		{ "format", required_argument, NULL, 'o' },
		{ "rows", required_argument, NULL, FILTER_ROWS },
		FILTER_LONG_SELECT,
		FILTER_LONG_GROUP,
		FILTER_LONG_COMMON,
		{ 0 },
	};
	struct program p = { .side = { { .name = "base" }, { .name = "target" } } };
	struct err e = { 0 };
	int c, status;

	cli_init("flamediff", argv);
	filter_init(&p.f);
	p.f.output.rows = 20;
	while ((c = getopt_long(argc, argv, FILTER_SHORT, longopts, NULL)) != -1) {
		if (c != 'h' && c != 'V' && c != '?' && option(&p, c, optarg, &e))
			continue;
		status = cli_options(e.kind ? -1 : c, &e, synopsis, help);
		program_clear(&p);
		return status;
	}
	if (p.f.quiet)
		cli_quiet();
	if (!operands(&p, argv + optind, &e)) {
		program_clear(&p);
		cli_fail(&e);
		return cli_usage(synopsis);
	}
	status = run(&p);
	program_clear(&p);
	return cli_finish(status);
}
