#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
err_tame(char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++) {
		/* C0, DEL, and C1 in its UTF-8 form. */
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			p[0] = p[1] = '?';
	}
}

__attribute__((format(printf, 3, 0))) static void
fill(struct err *e, enum err_kind kind, const char *fmt, va_list ap)
{
	if (!e)
		return;
	*e = (struct err){ .kind = kind };
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	err_tame(e->text);
}

bool
err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, kind, fmt, ap);
	va_end(ap);
	return false;
}

bool
err_at(struct err *e, enum err_kind kind, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, kind, fmt, ap);
	va_end(ap);
	if (e) {
		e->has_offset = true;
		e->offset = offset;
	}
	return false;
}

bool
err_sys(struct err *e, const char *what)
{
	return err_set(e, ERR_IO, "%s: %s", what, strerror(errno));
}

bool
err_in(struct err *e, const char *file)
{
	if (e && !e->file[0]) {
		snprintf(e->file, sizeof e->file, "%s", file);
		err_tame(e->file);
	}
	return false;
}

bool
err_record(struct err *e, const char *unit, uint64_t record)
{
	if (e && !e->record) {
		e->unit = unit;
		e->record = record;
	}
	return false;
}

const char *
err_text(const struct err *e, char *buf, size_t size)
{
	char rec[48] = "", at[48] = "";

	if (e->record)
		snprintf(rec, sizeof rec, "%s %llu: ", e->unit,
		         (unsigned long long)e->record);
	if (e->has_offset)
		snprintf(at, sizeof at, "byte %llu: ", (unsigned long long)e->offset);
	snprintf(buf, size, "%s%s%s%s%s", e->file, e->file[0] ? ": " : "", rec, at,
	         e->text);
	return buf;
}

void
warn_say(const struct warn *w, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!w || !w->say)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	err_tame(text);
	w->say(w->ctx, text);
}
