#include "render/jfrsummary.h"

#include "base/num.h"
#include "base/when.h"
#include "bytes/json.h"
#include "render/quantity.h"
#include "render/rows.h"

enum {
	LABEL = 13,   /* columns of what stands before the text */
	LONGEST = 200 /* bytes of a text for people */
};
/* Chunks of one recording begin where others end, but for this. */
#define PAUSE_NS INT64_C(100000000)

static int64_t
clamp(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* ---- for people ---- */

static void
label(struct sink *s, const char *text)
{
	sink_printf(s, "  %-*s", LABEL, text);
}

static void
shortened(struct sink *s, struct str text)
{
	size_t n = text.n;

	if (n > LONGEST)
		for (n = LONGEST; n && (text.p[n] & 0xc0) == 0x80;)
			n--;
	rows_text(s, (struct str){ text.p, n });
	if (n < text.n)
		sink_printf(s, " ... (%zu bytes)", text.n);
}

static void
text_line(struct sink *s, const char *name, struct str text)
{
	if (!text.n)
		return;
	label(s, name);
	shortened(s, text);
	sink_write(s, "\n", 1);
}

static const char *
bytes_of(char *buf, uint64_t n)
{
	return quantity(buf, clamp(n), STR("bytes"));
}

static void
put_file(const struct jfr_summary *x, struct sink *s)
{
	uint64_t least = UINT64_MAX, most = 0;
	char a[48], b[48];

	label(s, "file");
	sink_printf(s, "%s", bytes_of(a, x->bytes));
	if (x->packed)
		sink_printf(s, " from %s of %s", bytes_of(a, x->packed_bytes),
		            x->packed);
	sink_printf(s, ", %zu chunk%s", x->nchunks, x->nchunks == 1 ? "" : "s");
	for (size_t i = 0; i < x->nchunks; i++) {
		const struct jfr_summary_chunk *c = &x->chunks[i];
		size_t j = 0;

		least = c->bytes < least ? c->bytes : least;
		most = c->bytes > most ? c->bytes : most;
		/* Versions are few: each where it comes first. */
		while (j < i &&
		       (x->chunks[j].major != c->major ||
		        x->chunks[j].minor != c->minor))
			j++;
		if (j == i)
			sink_printf(s, "%s%u.%u", i ? " and " : " of version ",
			            c->major, c->minor);
	}
	if (x->nchunks > 1)
		sink_printf(s, ", of %s to %s", bytes_of(a, least), bytes_of(b, most));
	sink_write(s, "\n", 1);
}

static void
put_producers(const struct jfr_summary *x, struct sink *s)
{
	const char *between = "";

	label(s, "written by");
	for (int p = 0; p < JFR_PRODUCERS; p++) {
		if (!(x->by & 1U << p))
			continue;
		sink_printf(s, "%s%s", between, jfr_producer_name[p]);
		if (p != JFR_BY_JDK && x->profiler_version.n) {
			sink_write(s, " ", 1);
			shortened(s, x->profiler_version);
		}
		between = " and ";
	}
	sink_write(s, "\n", 1);
}

static void
put_jvm(const struct jfr_summary_jvm *j, struct sink *s)
{
	char at[WHEN_TEXT];

	label(s, "JVM");
	shortened(s, j->name);
	sink_write(s, " ", j->name.n > 0);
	shortened(s, j->version);
	sink_printf(s, ", pid %lld", (long long)j->pid);
	if (j->start_ns)
		sink_printf(s, ", started %s", when_local(at, j->start_ns));
	sink_write(s, "\n", 1);
	text_line(s, "  options", j->jvm_arguments);
	text_line(s, "  program", j->java_arguments);
}

static const char *
plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static void
put_machine(const struct jfr_summary *x, struct sink *s)
{
	text_line(s, "system", x->os);
	if (!x->cpu.n && !x->threads)
		return;
	label(s, "CPU");
	shortened(s, x->cpu);
	if (x->threads)
		sink_printf(s, "%s%lld CPU%s (%lld core%s, %lld socket%s)",
		            x->cpu.n ? ", " : "", (long long)x->threads,
		            plural(x->threads), (long long)x->cores, plural(x->cores),
		            (long long)x->sockets, plural(x->sockets));
	sink_write(s, "\n", 1);
}

static void
put_period(const struct jfr_summary *x, struct sink *s)
{
	char from[WHEN_TEXT], to[WHEN_TEXT], num[48];

	if (!x->start_ns)
		return;
	label(s, "period");
	sink_printf(s, "%s to %s, %s", when_local(from, x->start_ns),
	            when_local(to, x->end_ns),
	            quantity(num, x->covered_ns, STR("nanoseconds")));
	if (x->gap_ns >= PAUSE_NS)
		sink_printf(s, " with gaps of %s",
		            quantity(num, x->gap_ns, STR("nanoseconds")));
	if (x->overlap_ns >= PAUSE_NS)
		sink_printf(s, "; chunks overlap for %s",
		            quantity(num, x->overlap_ns, STR("nanoseconds")));
	sink_write(s, "\n", 1);
	label(s, "");
	sink_printf(s, "%s to %s\n", when_utc(from, x->start_ns),
	            when_utc(to, x->end_ns));
}

/* The settings of async-profiler that are numbers, and what 0 stands for. */
static const struct {
	const char *name, *unit, *zero;
} numbers[] = {
	{ "interval", "nanoseconds", "10 ms (default)" },
	{ "wall", "nanoseconds", "50 ms (default)" },
	{ "alloc", "bytes", NULL },
	{ "lock", "nanoseconds", NULL },
	{ "nativelock", "nanoseconds", NULL },
	{ "nativemem", "bytes", NULL },
	{ "chunksize", "bytes", "no limit" },
	{ "chunktime", "seconds", "no limit" },
	{ "memlimit", "bytes", "no limit" },
};

static void
put_value(const struct jfr_summary_setting *x, struct sink *s)
{
	size_t i = 0, n = sizeof numbers / sizeof *numbers;
	char text[48];
	int64_t v;

	while (i < n && !str_eq(x->name, str_of(numbers[i].name)))
		i++;
	if (i == n || !num_i64(x->value, &v))
		shortened(s, x->value);
	else if (v == 0 && numbers[i].zero)
		sink_printf(s, "%s", numbers[i].zero);
	else
		sink_printf(s, "%s", quantity(text, v, str_of(numbers[i].unit)));
}

/* Whether the setting begins those of another thing. */
static bool
begins(const struct jfr_summary *x, size_t i)
{
	return i == 0 || !str_eq(x->settings[i].of, x->settings[i - 1].of);
}

static bool
is_off(const struct jfr_summary *x, size_t i)
{
	return str_eq(x->settings[i].name, STR("enabled")) &&
	        !str_eq(x->settings[i].value, STR("true"));
}

static void
put_of(struct str of, struct sink *s)
{
	bool jdk = str_starts(of, STR("jdk."));

	rows_text(s, jdk ? (struct str){ of.p + 4, of.n - 4 } : of);
}

/* What goes without saying. */
static bool
obvious(const struct jfr_summary_setting *x)
{
	return !x->value.n || str_eq(x->name, STR("enabled")) ||
	        str_eq(x->name, STR("version")) ||
	        (str_eq(x->name, STR("stackTrace")) && str_eq(x->value, STR("true")));
}

/* All that is set of the thing that begins there. */
static void
put_settings_of(const struct jfr_summary *x, size_t i, struct sink *s)
{
	const char *between = ": ";

	put_of(x->settings[i].of, s);
	do {
		if (obvious(&x->settings[i]))
			continue;
		sink_printf(s, "%s", between);
		rows_text(s, x->settings[i].name);
		sink_write(s, " ", 1);
		put_value(&x->settings[i], s);
		between = ", ";
	} while (++i < x->nsettings && !begins(x, i));
	sink_write(s, "\n", 1);
}

static void
put_settings(const struct jfr_summary *x, struct sink *s)
{
	const char *name = "settings", *between = "off: ";

	for (size_t i = 0; i < x->nsettings; i++) {
		if (!begins(x, i) || is_off(x, i))
			continue;
		label(s, name);
		name = "";
		put_settings_of(x, i, s);
	}
	if (x->stack_depth) {
		label(s, name);
		name = "";
		sink_printf(s, "stack depth: %lld\n", (long long)x->stack_depth);
	}
	for (size_t i = 0; i < x->nsettings; i++) {
		if (!begins(x, i) || !is_off(x, i))
			continue;
		if (*between == 'o')
			label(s, name);
		sink_printf(s, "%s", between);
		put_of(x->settings[i].of, s);
		between = ", ";
	}
	if (*between == ',')
		sink_write(s, "\n", 1);
}

static void
put_kinds(const struct jfr_summary *x, struct sink *s)
{
	const uint64_t usual = x->kinds & JFR_USUAL, others = x->kinds & ~JFR_USUAL;
	const char *between = "";

	label(s, "kinds");
	for (int k = 0; k < JFR_OAP_EXEC; k++)
		if (usual & JFR_KIND(k)) {
			sink_printf(s, "%s%s", between,
			            jfr_kind_name((enum jfr_kind)k));
			between = ", ";
		}
	if (!usual)
		sink_printf(s, "none");
	between = "; if named ";
	for (int k = 0; k < JFR_OAP_EXEC; k++)
		if (others & JFR_KIND(k)) {
			sink_printf(s, "%s%s", between,
			            jfr_kind_name((enum jfr_kind)k));
			between = ", ";
		}
	sink_write(s, "\n", 1);
}

static void
put_faults(const struct jfr_summary *x, struct sink *s)
{
	char num[48], more[48] = "";

	if (x->lost || x->lost_cpu) {
		label(s, "lost");
		if (x->lost)
			sink_printf(s, "%s of events", bytes_of(num, x->lost));
		if (x->lost_cpu)
			sink_printf(s, "%s%llu CPU time samples", x->lost ? ", " : "",
			            (unsigned long long)x->lost_cpu);
		sink_printf(s, ", as the recorder says\n");
	}
	if (!x->damages)
		return;
	if (x->damages > 1)
		snprintf(more, sizeof more, ", and %llu more places",
		         (unsigned long long)x->damages - 1);
	label(s, "damage");
	sink_printf(s, "byte %llu: ", (unsigned long long)x->damaged_at);
	rows_text(s, x->damage);
	sink_printf(s, "%s", more);
	if (x->damaged_bytes)
		sink_printf(s, "; %llu bytes ignored",
		            (unsigned long long)x->damaged_bytes);
	sink_write(s, "\n", 1);
}

static void
put_row(struct sink *s, uint64_t count, uint64_t bytes, uint64_t all, struct str name)
{
	char text[48];

	rows_cell(s, quantity(text, clamp(count), STR("count")), 14);
	rows_cell(s, quantity(text, clamp(bytes), STR("count")), 16);
	rows_cell(s, percent(text, (double)bytes, (double)all), 9);
	sink_write(s, "  ", 2);
	rows_text(s, name);
	sink_write(s, "\n", 1);
}

void
jfrsummary_text(const struct jfr_summary *x, const char *file, struct sink *s)
{
	uint64_t all = x->unknown_bytes;

	rows_text(s, str_of(file));
	sink_write(s, "\n", 1);
	put_file(x, s);
	put_producers(x, s);
	for (size_t i = 0; i < x->njvms; i++)
		put_jvm(&x->jvms[i], s);
	put_machine(x, s);
	put_period(x, s);
	put_settings(x, s);
	put_kinds(x, s);
	put_faults(x, s);
	for (size_t i = 0; i < x->ntypes; i++)
		all += x->types[i].bytes;
	sink_printf(s, "%14s%16s%9s  %s\n", "count", "bytes", "%", "event");
	for (size_t i = 0; i < x->ntypes; i++)
		put_row(s, x->types[i].count, x->types[i].bytes, all, x->types[i].name);
	if (x->unknown)
		put_row(s, x->unknown, x->unknown_bytes, all,
		        STR("(of unknown types)"));
}

/* ---- for programs ---- */

static void
number(struct json_out *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_int(j, clamp(v));
}

static void
time_of(struct json_out *j, const char *key, int64_t ns)
{
	json_key(j, key);
	json_int(j, ns);
}

static void
json_chunks(struct json_out *j, const struct jfr_summary *x)
{
	static const char *const states[] = { [JFR_COMPLETE] = "complete",
		                              [JFR_UNFINISHED] = "unfinished",
		                              [JFR_CUT] = "cut" };
	char version[32];

	json_key(j, "chunks");
	json_arr(j);
	for (size_t i = 0; i < x->nchunks; i++) {
		const struct jfr_summary_chunk *c = &x->chunks[i];

		json_obj(j);
		number(j, "at", c->at);
		number(j, "bytes", c->bytes);
		snprintf(version, sizeof version, "%u.%u", c->major, c->minor);
		json_key_text(j, "version", str_of(version));
		json_key_text(j, "written_by", str_of(jfr_producer_name[c->by]));
		time_of(j, "start_ns", c->start_ns);
		time_of(j, "duration_ns", c->duration_ns);
		number(j, "events", c->events);
		json_key_text(j, "state", str_of(states[c->state]));
		json_obj_end(j);
	}
	json_arr_end(j);
}

static void
json_jvms(struct json_out *j, const struct jfr_summary *x)
{
	json_key(j, "jvms");
	json_arr(j);
	for (size_t i = 0; i < x->njvms; i++) {
		const struct jfr_summary_jvm *v = &x->jvms[i];

		json_obj(j);
		json_key_text(j, "name", v->name);
		json_key_text(j, "version", v->version);
		time_of(j, "pid", v->pid);
		time_of(j, "start_ns", v->start_ns);
		json_key_text(j, "jvm_arguments", v->jvm_arguments);
		json_key_text(j, "java_arguments", v->java_arguments);
		number(j, "chunks", v->chunks);
		json_obj_end(j);
	}
	json_arr_end(j);
}

static void
json_settings(struct json_out *j, const struct jfr_summary *x)
{
	const struct jfr_summary_setting *all = x->settings;

	json_key(j, "settings");
	json_obj(j);
	for (size_t i = 0; i < x->nsettings; i++) {
		if (begins(x, i)) {
			json_key_str(j, all[i].of);
			json_obj(j);
		}
		json_key_str(j, all[i].name);
		json_str(j, all[i].value);
		if (i + 1 == x->nsettings || begins(x, i + 1))
			json_obj_end(j);
	}
	json_obj_end(j);
	if (x->stack_depth)
		time_of(j, "stack_depth", x->stack_depth);
}

static void
json_events(struct json_out *j, const struct jfr_summary *x)
{
	json_key(j, "events");
	json_arr(j);
	for (size_t i = 0; i < x->ntypes; i++) {
		json_obj(j);
		json_key(j, "type");
		json_str(j, x->types[i].name);
		number(j, "count", x->types[i].count);
		number(j, "bytes", x->types[i].bytes);
		json_obj_end(j);
	}
	json_arr_end(j);
	number(j, "unknown_events", x->unknown);
	number(j, "unknown_bytes", x->unknown_bytes);
}

static void
json_faults(struct json_out *j, const struct jfr_summary *x)
{
	number(j, "lost_bytes", x->lost);
	number(j, "lost_cpu_samples", x->lost_cpu);
	number(j, "unread_bytes", x->unread);
	if (!x->damages)
		return;
	json_key(j, "damage");
	json_obj(j);
	number(j, "places", x->damages);
	number(j, "bytes", x->damaged_bytes);
	number(j, "at", x->damaged_at);
	json_key_text(j, "text", x->damage);
	json_obj_end(j);
}

void
jfrsummary_json(const struct jfr_summary *x, const char *file, struct sink *s)
{
	struct json_out j = { .sink = s };

	json_obj(&j);
	json_key(&j, "file");
	json_str(&j, str_of(file));
	number(&j, "bytes", x->bytes);
	if (x->packed) {
		json_key_text(&j, "packed", str_of(x->packed));
		number(&j, "packed_bytes", x->packed_bytes);
	}
	json_key(&j, "written_by");
	json_arr(&j);
	for (int p = 0; p < JFR_PRODUCERS; p++)
		if (x->by & 1U << p)
			json_str(&j, str_of(jfr_producer_name[p]));
	json_arr_end(&j);
	json_key_text(&j, "profiler_version", x->profiler_version);
	json_jvms(&j, x);
	json_key_text(&j, "os", x->os);
	json_key_text(&j, "cpu", x->cpu);
	time_of(&j, "sockets", x->sockets);
	time_of(&j, "cores", x->cores);
	time_of(&j, "hw_threads", x->threads);
	time_of(&j, "start_ns", x->start_ns);
	time_of(&j, "end_ns", x->end_ns);
	time_of(&j, "duration_ns", x->covered_ns);
	number(&j, "gaps", x->gaps);
	time_of(&j, "gap_ns", x->gap_ns);
	number(&j, "overlaps", x->overlaps);
	time_of(&j, "overlap_ns", x->overlap_ns);
	json_settings(&j, x);
	json_key(&j, "kinds");
	json_arr(&j);
	for (int k = 0; k < JFR_OAP_EXEC; k++)
		if (x->kinds & JFR_KIND(k))
			json_str(&j, str_of(jfr_kind_name((enum jfr_kind)k)));
	json_arr_end(&j);
	json_chunks(&j, x);
	json_events(&j, x);
	json_faults(&j, x);
	json_obj_end(&j);
	sink_write(s, "\n", 1);
}
