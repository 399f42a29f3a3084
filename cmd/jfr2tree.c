/* jfr2tree - Java Flight Recorder files to call trees. */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cli.h"
#include "base/num.h"
#include "formats/jfr_follow.h"
#include "formats/jfr_summary.h"
#include "render/filter.h"
#include "render/jfrconv.h"
#include "render/jfrsummary.h"

enum {
	OPT_NAMES = FILTER_OWN,
	OPT_STACKLESS,
	OPT_TRUNCATED,
	OPT_VALUE,
	OPT_JFRCONV,
	OPT_OAP,
	OPT_TIMES,
	OPT_RESCUE,
	OPT_FROM,
	OPT_TO,
	OPT_THREAD,
	OPT_TAGFOCUS,
	OPT_STATE,
	OPT_MIN_DURATION,
	OPT_LATENCY,
	OPT_TAG,
	OPT_LABELS,
	OPT_TAIL,
	OPT_SUMMARY,
	OPT_FOLLOW
};

static const char synopsis[] = "jfr2tree [-e KIND,...] [-g GRANULARITY] [-o FORMAT] "
                               "[-t TYPE] [--from TIME] [--to TIME] [options] "
                               "[file ...]";
static const char help[] =
        "usage: jfr2tree [options] [file ...]\n"
        "Turn Java Flight Recorder files (JDK, async-profiler; also gzip'd or zstd'd) "
        "into\n"
        "call trees, one for each kind of profile that is in a file.\n"
        "\n"
        "  -e, --event KINDS    cpu, wall, alloc, live, lock, ..., or event types\n"
        "      --value FIELD    what to add up of an event type that -e names\n"
        "  -g, --granularity G  function, line, module, bci\n"
        "      --from TIME      samples from then on: 14:05, now-1h, +2s, -10s, ...\n"
        "      --to TIME        samples up to then\n"
        "      --thread RE      of threads whose name matches\n"
        "      --tagfocus L=RE  of which the label L matches (repeat): class=HashMap\n"
        "      --state LIST     of threads in these states: runnable,sleeping\n"
        "      --min-duration D events of at least that length: 10ms\n"
        "      --latency D      within spans of their thread that long or longer\n"
        "      --tag TAG        within spans of that tag\n"
        "      --labels FILE    labels of contexts (Pyroscope's LabelsSnapshot)\n"
        "      --times          order, time and thread of each event, too\n"
        "      --tail RATIO     of leak: the part of the time that is too late (0.1)\n"
        "      --stackless      keep samples without a stack, as a frame\n"
        "      --truncated      mark stacks that the recorder cut by a frame\n"
        "  -j, --jobs N         2: a thread decodes chunks ahead (1)\n"
        "      --rescue         read what can be had of a chunk that is cut short\n"
        "      --names NAMES    ours or jfrconv (with -o folded, one kind)\n"
        "      --jfrconv OPTS   what jfrconv -o collapsed gives for its options\n"
        "      --oap-compat     the trees of SkyWalking's OAP (-o nested-jfr)\n"
        "      --follow DIR     chunks of a running JVM as they come, or of a FILE\n"
        "      --summary        what is in a recording, as text (or -o "
        "json)\n" FILTER_HELP "\n"
        "example: jfr2tree -e cpu recording.jfr | flamesvg > cpu.svg\n";

struct command {
	const char *conv; /* the options of --jfrconv */
	struct jfrconv jfrconv;
	struct jfr_custom custom[JFR_MAX_CUSTOM];
	size_t valued; /* of custom, those that --value was said of */
	struct select_label where[16];
	const char *labels;
	bool oap, summary;
	bool granularity, names; /* there was a -g, a --names */
	const char *follow;      /* NULL: read files that are there */
	struct jfr_held held;
	struct jfr_stats stats;
};

/* ---- options ---- */

static bool
no_kind(const char *name, size_t n, struct err *e)
{
	struct buf all = { 0 };

	jfr_kind_list(JFR_KIND(JFR_OAP_EXEC) - 1, &all);
	err_set(e, ERR_USAGE,
	        "-e: no kind '%.*s' (event types have dots); there are %.*s",
	        n > 24 ? 24 : (int)n, name, (int)all.n, all.p);
	buf_clear(&all);
	return false;
}

/* "cpu,jdk.ThreadStart": kinds, and event types by their names, which have dots. */
static bool
take_kinds(struct command *cmd, struct jfr_opts *o, char *arg, struct err *e)
{
	char *end;

	for (char *p = arg;; p = end + 1) {
		size_t n = strcspn(p, ",");
		enum jfr_kind kind;

		end = p + n;
		if (jfr_kind((struct str){ p, n }, &kind)) {
			o->kinds |= JFR_KIND(kind);
		} else if (n && memchr(p, '.', n)) {
			if (o->ncustom == JFR_MAX_CUSTOM)
				return err_set(e, ERR_USAGE,
				               "-e: more than %d event types",
				               JFR_MAX_CUSTOM);
			cmd->custom[o->ncustom++].type = p;
			o->custom = cmd->custom;
		} else {
			return no_kind(p, n, e);
		}
		if (!*end)
			return true;
		*end = '\0';
	}
}

static bool
take_value(struct command *cmd, const struct jfr_opts *o, const char *arg,
           struct err *e)
{
	if (cmd->valued == o->ncustom)
		return err_set(e, ERR_USAGE,
		               "--value goes behind the -e that names an event type");
	while (cmd->valued < o->ncustom)
		cmd->custom[cmd->valued++].value = arg;
	return true;
}

static bool
take_granularity(struct jfr_opts *o, const char *arg, struct err *e)
{
	o->names.bci = false;
	o->identity = 0;
	for (const char *p = arg;; p++) {
		struct str word = { p, strcspn(p, ",") };

		if (str_eq(word, STR("line")))
			o->identity |= ID_LINE;
		else if (str_eq(word, STR("module")))
			o->identity |= ID_MODULE;
		else if (str_eq(word, STR("bci")))
			o->names.bci = true;
		else if (!str_eq(word, STR("function")))
			return err_set(e, ERR_USAGE,
			               "-g: no granularity '%.40s'; there are "
			               "function, line, module, bci",
			               p);
		p += word.n;
		if (!*p)
			break;
	}
	return !o->names.bci || !(o->identity & ID_LINE) ||
	        err_set(e, ERR_USAGE, "-g: line and bci do not go together");
}

static bool
take_jobs(struct jfr_opts *o, const char *arg, struct err *e)
{
	uint64_t n;

	if (!num_u64(str_of(arg), &n) || n == 0)
		return err_set(e, ERR_USAGE, "-j: '%.40s' is no number from 1", arg);
	o->ahead = n > 1;
	return true;
}

static bool
take_duration(const char *option, const char *arg, int64_t *out, struct err *e)
{
	return num_duration(arg, out) ||
	        err_set(e, ERR_USAGE, "--%s: '%.40s' is no duration, such as 10ms",
	                option, arg);
}

static bool
take_time(const char *option, const char *arg, bool *have, struct when *out,
          struct err *e)
{
	*have = true;
	return when_parse(arg, when_now(), out, e) || err_in(e, option);
}

static bool
take_label(struct command *cmd, struct filter *f, const char *key, const char *regex,
           struct err *e)
{
	const size_t most = sizeof cmd->where / sizeof *cmd->where;

	if (f->select.nlabels == most)
		return err_set(e, ERR_USAGE, "more than %zu labels are to match", most);
	cmd->where[f->select.nlabels++] = (struct select_label){ key, regex };
	f->select.labels = cmd->where;
	return true;
}

static bool
own_option(void *ctx, struct filter *f, int c, char *arg, struct err *e)
{
	struct jfr_opts *o = &f->input.jfr;
	struct command *cmd = ctx;
	char *regex;

	switch (c) {
	case 'e':
		return take_kinds(cmd, o, arg, e);
	case 'g':
		cmd->granularity = true;
		return take_granularity(o, arg, e);
	case 'j':
		return take_jobs(o, arg, e);
	case OPT_VALUE:
		return take_value(cmd, o, arg, e);
	case OPT_NAMES:
		cmd->names = true;
		o->names.jfrconv = o->both = strcmp(arg, "jfrconv") == 0;
		return o->both || strcmp(arg, "ours") == 0 ||
		        err_set(e, ERR_USAGE,
		                "--names: no names '%.40s'; there are ours, jfrconv",
		                arg);
	case OPT_JFRCONV:
		if (cmd->conv)
			return err_set(e, ERR_USAGE, "--jfrconv is there twice");
		cmd->conv = arg;
		return true;
	case OPT_OAP:
		return cmd->oap = true;
	case OPT_TIMES:
		return o->times = true;
	case OPT_RESCUE:
		return o->rescue = true;
	case OPT_FROM:
		return take_time("--from", arg, &o->from, &o->from_time, e);
	case OPT_TO:
		return take_time("--to", arg, &o->to, &o->to_time, e);
	case OPT_THREAD:
		return take_label(cmd, f, "thread", arg, e);
	case OPT_TAGFOCUS:
		if (!(regex = strchr(arg, '=')) || regex == arg)
			return err_set(e, ERR_USAGE,
			               "--tagfocus: '%.60s' is not LABEL=REGEX", arg);
		*regex++ = '\0';
		return take_label(cmd, f, arg, regex, e);
	case OPT_STATE:
		o->states = arg;
		return true;
	case OPT_MIN_DURATION:
		return take_duration("min-duration", arg, &o->min_duration_ns, e);
	case OPT_LATENCY:
		o->spans = true;
		return take_duration("latency", arg, &o->span_ns, e);
	case OPT_TAG:
		o->spans = true;
		o->tag = arg;
		return true;
	case OPT_LABELS:
		cmd->labels = arg;
		return true;
	case OPT_TAIL:
		return (num_frac(arg, &o->leak_tail) && o->leak_tail <= 1) ||
		        err_set(e, ERR_USAGE, "--tail: '%.40s' is not between 0 and 1",
		                arg);
	case OPT_TRUNCATED:
		return o->show_cut = true;
	case OPT_FOLLOW:
		cmd->follow = arg;
		return true;
	case OPT_SUMMARY:
		return cmd->summary = true;
	default:
		return o->keep_stackless = true;
	}
}

/* What to take and how to call it is in the options of --jfrconv themselves. */
static bool
take_jfrconv(struct command *cmd, struct filter *f, struct err *e)
{
	const struct jfr_opts *o = &f->input.jfr;

	if (o->kinds || o->ncustom || cmd->granularity || f->output.type || cmd->names)
		return err_set(e, ERR_USAGE,
		               "--jfrconv goes without -e, -g, -t and --names");
	if (f->format_named && f->output.format != OUTPUT_FOLDED)
		return err_set(e, ERR_USAGE,
		               "--jfrconv writes folded text, no other -o");
	return jfrconv_options(&cmd->jfrconv, cmd->conv, f, e);
}

/* Of clocks, 23:00 to 01:00 is, too. */
static bool
in_order(const struct jfr_opts *o, struct err *e)
{
	return !o->from || !o->to || o->from_time.base != o->to_time.base ||
	        o->from_time.base == WHEN_CLOCK || o->from_time.ns <= o->to_time.ns ||
	        err_set(e, ERR_USAGE, "--from is later than --to");
}

/* What does not go together; and what follows from compatibility. */
static bool
check(struct command *cmd, struct filter *f, struct err *e)
{
	struct jfr_opts *o = &f->input.jfr;

	if (cmd->oap &&
	    (o->kinds || o->ncustom || cmd->granularity || cmd->names || o->times ||
	     cmd->conv))
		return err_set(e, ERR_USAGE,
		               "--oap-compat goes without -e, -g, --names, --times and "
		               "--jfrconv");
	if (cmd->oap) {
		o->kinds = JFR_OAP;
		if (!f->format_named)
			f->output.format = OUTPUT_NESTED_JFR;
		o->both = true;
		o->names = (struct jfr_naming){
			.jfrconv = true, .dot = true, .norm = true, .line = true
		};
		return in_order(o, e);
	}
	if (cmd->conv && !take_jfrconv(cmd, f, e))
		return false;
	if (!in_order(o, e))
		return false;
	if (!o->names.jfrconv)
		return true;
	if (f->output.format != OUTPUT_FOLDED)
		return err_set(e, ERR_USAGE, "--names jfrconv needs -o folded");
	if (o->identity)
		return err_set(e, ERR_USAGE,
		               "--names jfrconv goes with -g function only");
	if (o->times)
		return err_set(e, ERR_USAGE, "--times is not for -o folded");
	return true;
}

/* ---- what there is to say ---- */

/* "cpu, wall, jdk.ThreadStart", into the buffer. */
static const char *
kind_names(const struct command *cmd, uint64_t kinds, struct buf *b)
{
	b->n = 0;
	jfr_kind_list(kinds, b);
	for (int i = 0; i < JFR_MAX_CUSTOM; i++)
		if (kinds >> (JFR_KINDS + i) & 1)
			buf_printf(b, "%s%s", b->n ? ", " : "", cmd->custom[i].type);
	buf_char(b, '\0');
	return b->p;
}

/* Kinds to name where others are missing: not the parts of those that are there. */
static uint64_t
worth_naming(uint64_t found)
{
	static const struct {
		enum jfr_kind whole;
		uint64_t parts;
	} kinds[] = {
		{ JFR_LOCK, JFR_KIND(JFR_MONITOR) | JFR_KIND(JFR_PARK) },
		{ JFR_ALLOC,
		  JFR_KIND(JFR_ALLOC_TLAB) | JFR_KIND(JFR_ALLOC_OUTSIDE) |
		          JFR_KIND(JFR_ALLOC_SAMPLE) },
		{ JFR_LIVE, JFR_KIND(JFR_OLD) },
	};

	found &= ~JFR_OAP;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (found & JFR_KIND(kinds[i].whole))
			found &= ~kinds[i].parts;
	return found;
}

/* "150 by time, 3 by state"; false if there are none. */
static bool
left_out(const struct jfr_stats *s, struct buf *b)
{
	const struct {
		uint64_t n;
		const char *by;
	} reasons[] = { { s->out_of_window, "time" },
		        { s->too_short, "length" },
		        { s->no_span, "spans" },
		        { s->no_state, "state" } };

	b->n = 0;
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].n)
			buf_printf(b, "%s%llu by %s", b->n ? ", " : "",
			           (unsigned long long)reasons[i].n, reasons[i].by);
	if (!b->n)
		return false;
	buf_char(b, '\0');
	return true;
}

static void
say_missing(struct command *cmd, struct filter *f, const char *file)
{
	const struct jfr_stats *s = &cmd->stats;
	const struct jfr_opts *o = &f->input.jfr;
	uint64_t asked = o->kinds, missing, others;
	struct buf a = { 0 }, b = { 0 };

	for (size_t i = 0; i < o->ncustom; i++)
		asked |= JFR_KIND(JFR_KINDS + i);
	/* Of the five trees of the OAP, those that are there. */
	missing = asked && !cmd->oap ? asked & ~s->given : s->given ? 0 : JFR_USUAL;
	if (!missing)
		return;
	f->partial = true;
	if (missing & s->found) {
		kind_names(cmd, missing & s->found, &a);
		if (left_out(s, &b))
			cli_warn("%s: no %s that was asked for; samples were left "
			         "out: %s",
			         file, a.p, b.p);
		else
			cli_warn("%s: no stacks of %s (--stackless keeps events "
			         "without)",
			         file, a.p);
	}
	missing &= ~s->found;
	if (!missing)
		goto out;
	kind_names(cmd, missing, &a);
	others = worth_naming(s->found & ~missing);
	if (others)
		cli_warn("%s: no %s; the recording has %s", file, a.p,
		         kind_names(cmd, others, &b));
	else
		cli_warn("%s: no %s, nor any other kind", file, a.p);
out:
	buf_clear(&a);
	buf_clear(&b);
}

/* With -v. */
static void
say_more(const struct command *cmd, const char *file)
{
	const struct jfr_stats *s = &cmd->stats;
	struct buf b = { 0 };

	cli_note("%s: %llu chunks, %llu events; %llu samples without a stack, %llu "
	         "methods without a name",
	         file, (unsigned long long)s->chunks, (unsigned long long)s->events,
	         (unsigned long long)s->stackless, (unsigned long long)s->nameless);
	if (left_out(s, &b))
		cli_note("%s: samples were left out: %s", file, b.p);
	if (s->lost_cpu)
		cli_note("%s: the recorder lost %llu CPU time samples", file,
		         (unsigned long long)s->lost_cpu);
	for (int k = 0; k < JFR_KINDS; k++)
		if (s->interval_ns[k] > 1 && k != JFR_EXEC)
			cli_note("%s: time of %s is estimated: %g ms a sample", file,
			         jfr_kind_name((enum jfr_kind)k),
			         (double)s->interval_ns[k] / 1e6);
	if (s->assumed)
		cli_note("%s: time of %s by a default interval, as none is given", file,
		         kind_names(cmd, s->assumed, &b));
	buf_clear(&b);
}

/* An answer that lacks something explains itself. */
static void
explain(struct command *cmd, struct filter *f, const char *file)
{
	const struct jfr_stats *s = &cmd->stats;
	struct buf b = { 0 };

	if (s->twice & s->given && f->input.jfr.both)
		cli_warn("%s: %s adds up events that saw the same", file,
		         kind_names(cmd, s->twice & s->given, &b));
	else if (s->twice & s->given && f->verbose)
		cli_note("%s: of %s two sorts of events saw the same; one of them is "
		         "taken",
		         file, kind_names(cmd, s->twice & s->given, &b));
	if (s->lost)
		cli_warn("%s: the recorder lost %llu bytes of events", file,
		         (unsigned long long)s->lost);
	if (f->input.jfr.spans && !s->spans)
		cli_warn("%s: no spans that were asked for", file);
	if (f->input.jfr.states && !s->state_found) {
		f->partial = true;
		cli_warn("%s: no state begins with any of '%s'", file,
		         f->input.jfr.states);
	}
	say_missing(cmd, f, file);
	if (f->verbose)
		say_more(cmd, file);
	buf_clear(&b);
}

/* ---- work ---- */

static bool
write_jfrconv(struct command *cmd, struct filter *f, struct err *e)
{
	struct tree *trees;
	uint32_t type;
	size_t n;
	bool ok = true;

	if (!filter_finish(f, &trees, &n, e))
		return false;
	if (n > 1)
		ok = err_set(e, ERR_USAGE,
		             "--names jfrconv takes one kind; name it with -e");
	else if (n == 1)
		ok = meta_type(&trees[0].meta, f->output.type, &type, e) &&
		        jfrconv_write(&trees[0], type, cmd->jfrconv.min_width, f->sink,
		                      e);
	for (size_t i = 0; i < n; i++)
		tree_clear(&trees[i]);
	free(trees);
	return ok;
}

static bool
convert(struct command *cmd, struct filter *f, const char *file, struct err *e)
{
	bool lines = f->input.jfr.names.jfrconv && !cmd->oap;

	cmd->stats = (struct jfr_stats){ 0 };
	if (!filter_read(f, file, e)) {
		if (!f->keep_going)
			return false;
		cli_fail(e);
		*e = (struct err){ 0 };
	} else if (cmd->stats.chunks) {
		explain(cmd, f, file);
	}
	return lines ? write_jfrconv(cmd, f, e) : filter_write(f, e);
}

static bool
open_labels(const struct command *cmd, struct filter *f, struct err *e)
{
	if (cmd->labels)
		f->input.jfr.contexts = jfr_contexts_read(cmd->labels, e);
	return !cmd->labels || f->input.jfr.contexts;
}

static int
run(struct command *cmd, struct filter *f, char **files)
{
	struct err e = { 0 };

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	f->note = cli_noter();
	f->input.jfr_stats = &cmd->stats;
	if (!check(cmd, f, &e))
		return cli_fail(&e);
	f->group.kinds_apart = f->input.jfr.names.jfrconv && !cmd->oap;
	if (!open_labels(cmd, f, &e) || !filter_open(f, &e))
		return cli_fail(&e);
	for (; *files; files++)
		if (!convert(cmd, f, *files, &e))
			return cli_fail(&e);
	if (!filter_close(f, &e))
		return cli_fail(&e);
	return filter_status(f);
}

static bool
summary_of(struct filter *f, const char *file, struct err *e)
{
	struct source_opts so = { .warn = f->input.warn,
		                  .progress = f->input.progress };
	struct jfr_summary s;
	struct source *in;
	bool ok;

	if (!source_open(&in, file, &so, e))
		return false;
	ok = jfr_summary_read(in, &s, e);
	source_close(in);
	if (!ok)
		return false;
	if (f->format_named) {
		jfrsummary_json(&s, file, f->sink);
	} else {
		sink_write(f->sink, "\n", f->inputs > f->failed);
		jfrsummary_text(&s, file, f->sink);
	}
	f->partial = f->partial || s.damages;
	jfr_summary_clear(&s);
	return true;
}

static int
summarise(struct filter *f, char **files)
{
	struct err e = { 0 };

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	if (f->format_named && f->output.format != OUTPUT_JSON) {
		cli_bad("--summary is text, or -o json");
		return EXIT_TROUBLE;
	}
	if (!filter_open(f, &e))
		return cli_fail(&e);
	for (; *files; files++) {
		bool ok = summary_of(f, *files, &e);

		if (!ok && !f->keep_going)
			return cli_fail(&e);
		if (!ok)
			cli_fail(&e);
		e = (struct err){ 0 };
		f->inputs++;
		f->failed += !ok;
		f->partial = f->partial || !ok;
	}
	return filter_close(f, &e) ? filter_status(f) : cli_fail(&e);
}

/* What goes on can only be written as it comes. */
static bool
check_follow(struct filter *f, const struct command *cmd, char **files, struct err *e)
{
	struct jfr_opts *o = &f->input.jfr;

	if (*files)
		return err_set(e, ERR_USAGE,
		               "--follow takes no other files, such as '%.60s'",
		               *files);
	if (cmd->summary)
		return err_set(e, ERR_USAGE, "--follow makes no --summary");
	if (f->input.format != INPUT_AUTO && f->input.format != INPUT_JFR)
		return err_set(e, ERR_USAGE, "--follow takes recordings alone, no -i");
	if (f->out_path && strcmp(f->out_path, "-") != 0)
		return err_set(e, ERR_USAGE,
		               "--follow writes as chunks come; a file of -O appears "
		               "at the end");
	if (f->output.format == OUTPUT_FOLDED || f->output.format == OUTPUT_PPROF)
		return err_set(e, ERR_USAGE,
		               "--follow writes a document for each chunk; -o folded "
		               "and -o pprof hold one");
	/* The day of the recording is today. */
	if (o->from_time.base == WHEN_CLOCK)
		o->from_time.base = WHEN_ABSOLUTE;
	if (o->to_time.base == WHEN_CLOCK)
		o->to_time.base = WHEN_ABSOLUTE;
	if ((o->from && o->from_time.base != WHEN_ABSOLUTE) ||
	    (o->to && o->to_time.base != WHEN_ABSOLUTE))
		return err_set(e, ERR_USAGE,
		               "--follow sees neither start nor end of the recording, "
		               "from which --from and --to count");
	if (o->kinds & JFR_KIND(JFR_LEAK))
		return err_set(e, ERR_USAGE,
		               "--follow cannot tell leaks: what is given back in a "
		               "later chunk is none");
	return true;
}

/* What all chunks were, for explain(). */
static void
sum_up(struct jfr_stats *all, const struct jfr_stats *s)
{
	all->chunks += s->chunks;
	all->events += s->events;
	all->bytes += s->bytes;
	all->found |= s->found;
	all->given |= s->given;
	all->stackless += s->stackless;
	all->nameless += s->nameless;
	all->unknown += s->unknown;
	all->lost += s->lost;
	all->lost_cpu += s->lost_cpu;
	all->assumed |= s->assumed;
	all->twice |= s->twice;
	all->out_of_window += s->out_of_window;
	all->too_short += s->too_short;
	all->no_span += s->no_span;
	all->no_state += s->no_state;
	all->spans += s->spans;
	all->state_found = all->state_found || s->state_found;
}

/* The documents of one chunk. A chunk that is bad is told, and no reason to end. */
static bool
convert_chunk(struct filter *f, const struct jfr_followed *c, struct err *e)
{
	struct source_opts so = { .offset = c->at, .warn = f->input.warn };
	struct source *in = source_mem(c->name, c->bytes, &so);
	bool ok = filter_read_source(f, in, e);

	source_close(in);
	if (!ok && !f->keep_going)
		return false;
	if (!ok)
		cli_fail(e);
	*e = (struct err){ 0 };
	return filter_write(f, e);
}

static int
follow(struct command *cmd, struct filter *f, char **files)
{
	struct jfr_stats *stats = &cmd->stats, all = { 0 };
	struct jfr_follow *w = NULL;
	enum jfr_follow_what what;
	struct jfr_followed chunk;
	struct err e = { 0 };
	bool ok;

	f->input.warn = cli_warner(NULL);
	f->input.progress = cli_progress(f->progress, f->quiet);
	f->note = cli_noter();
	f->input.jfr_stats = stats;
	f->input.jfr.held = &cmd->held;
	f->keep_going = !f->strict;
	if (!check(cmd, f, &e) || !check_follow(f, cmd, files, &e) ||
	    !open_labels(cmd, f, &e) || !filter_open(f, &e))
		return cli_fail(&e);
	ok = jfr_follow_open(&w, cmd->follow, cli_stop_fd(), STDOUT_FILENO, &e);
	while (ok && (what = jfr_follow_next(w, &chunk, &e)) != FOLLOW_END) {
		*stats = (struct jfr_stats){ 0 };
		if (what == FOLLOW_CHUNK)
			ok = convert_chunk(f, &chunk, &e);
		else if ((ok = f->keep_going))
			cli_fail(&e);
		if (!ok)
			break;
		e = (struct err){ 0 };
		f->inputs += what == FOLLOW_BAD;
		f->failed += what == FOLLOW_BAD;
		f->partial = f->partial || what == FOLLOW_BAD;
		sum_up(&all, stats);
		if (!sink_flush(f->sink))
			break; /* filter_close says why */
	}
	jfr_follow_close(w);
	if (!ok)
		return cli_fail(&e);
	*stats = all;
	if (all.chunks)
		explain(cmd, f, cmd->follow);
	return filter_close(f, &e) ? filter_status(f) : cli_fail(&e);
}

int
main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "granularity", required_argument, NULL, 'g' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "value", required_argument, NULL, OPT_VALUE },
		{ "from", required_argument, NULL, OPT_FROM },
		{ "to", required_argument, NULL, OPT_TO },
		{ "thread", required_argument, NULL, OPT_THREAD },
		{ "tagfocus", required_argument, NULL, OPT_TAGFOCUS },
		{ "state", required_argument, NULL, OPT_STATE },
		{ "min-duration", required_argument, NULL, OPT_MIN_DURATION },
		{ "latency", required_argument, NULL, OPT_LATENCY },
		{ "tag", required_argument, NULL, OPT_TAG },
		{ "labels", required_argument, NULL, OPT_LABELS },
		{ "times", no_argument, NULL, OPT_TIMES },
		{ "tail", required_argument, NULL, OPT_TAIL },
		{ "stackless", no_argument, NULL, OPT_STACKLESS },
		{ "truncated", no_argument, NULL, OPT_TRUNCATED },
		{ "rescue", no_argument, NULL, OPT_RESCUE },
		{ "names", required_argument, NULL, OPT_NAMES },
		{ "jfrconv", required_argument, NULL, OPT_JFRCONV },
		{ "oap-compat", no_argument, NULL, OPT_OAP },
		{ "follow", required_argument, NULL, OPT_FOLLOW },
		{ "summary", no_argument, NULL, OPT_SUMMARY },
		FILTER_LONG,
		{ 0 },
	};
	struct command cmd = { 0 };
	struct err e = { 0 };
	struct filter f;
	int c, status;

	cli_init("jfr2tree", argv);
	filter_init(&f);
	f.input.jfr.leak_tail = 0.1;
	c = filter_options(&f, argc, argv, "e:g:j:" FILTER_SHORT, longopts, own_option,
	                   &cmd, &e);
	if (f.quiet)
		cli_quiet();
	status = cli_options(c, &e, synopsis, help);
	if (status < 0 && cmd.follow)
		status = follow(&cmd, &f, argv + optind);
	else if (status < 0 && cmd.summary)
		status = summarise(&f, cli_inputs(argv + optind));
	else if (status < 0)
		status = run(&cmd, &f, cli_inputs(argv + optind));
	jfr_contexts_free(f.input.jfr.contexts);
	filter_clear(&f);
	jfrconv_clear(&cmd.jfrconv);
	return cli_finish(status);
}
