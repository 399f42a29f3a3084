#include "base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"

static const char *program = "flamepipe";
static bool quiet;

/* The line of progress. */
static struct {
	int64_t began, file_began, shown; /* ns of a clock */
	size_t width;                     /* of what stands there */
} line;

enum { SHOW_AFTER_MS = 1000, SHOW_EVERY_MS = 200, LINE_NAME = 30, LINE_MAX = 79 };

static void
erase(void)
{
	if (line.width)
		fprintf(stderr, "\r%*s\r", (int)line.width, "");
	line.width = 0;
}

void
cli_init(const char *name, char **argv)
{
	char *slash = argv[0] ? strrchr(argv[0], '/') : NULL;

	program = name;
	if (slash)
		argv[0] = slash + 1;
	/* A closed standard stream must stay closed, not become the next file. */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

void
cli_quiet(void)
{
	quiet = true;
}

__attribute__((format(printf, 2, 0))) static void
say(const char *kind, const char *fmt, va_list ap)
{
	char text[1024];

	fflush(stdout);
	erase();
	vsnprintf(text, sizeof text, fmt, ap);
	err_tame(text);
	fprintf(stderr, "%s: %s%s\n", program, kind, text);
}

void
cli_warn(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}

void
cli_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

static void
warn_cb(void *ctx, const char *text)
{
	if (ctx)
		++*(size_t *)ctx;
	cli_warn("%s", text);
}

static void
note_cb(void *ctx, const char *text)
{
	(void)ctx;
	cli_note("%s", text);
}

struct warn
cli_noter(void)
{
	return (struct warn){ .say = note_cb };
}

struct warn
cli_warner(size_t *count)
{
	return (struct warn){ .say = warn_cb, .ctx = count };
}

/* Its end, if it is long: that is where names differ. */
static void
put_name(char *to, size_t size, const char *name)
{
	size_t n = strlen(name), from = n > LINE_NAME ? n - LINE_NAME + 3 : 0;

	while (from && (name[from] & 0xc0) == 0x80)
		from++;
	snprintf(to, size, "%s%s", from ? "..." : "", name + from);
	err_tame(to);
}

static void
put_left(char *to, size_t size, double seconds)
{
	if (seconds < 100)
		snprintf(to, size, ", %.0f s left", seconds);
	else
		snprintf(to, size, ", %.0f min left", seconds / 60);
}

static void
show(const char *name, uint64_t done, uint64_t all, double seconds)
{
	double rate = seconds > 0 ? (double)done / seconds : 0;
	char file[LINE_NAME + 8], text[LINE_MAX + 1], far[48], left[48] = "";
	struct winsize screen;
	size_t size = sizeof text;
	int n;

	put_name(file, sizeof file, name);
	/* A file may grow while it is read. */
	if (all && done <= all) {
		snprintf(far, sizeof far, "%.0f %%", 100 * (double)done / (double)all);
		if (rate > 0)
			put_left(left, sizeof left, (double)(all - done) / rate);
	} else {
		snprintf(far, sizeof far, "%.0f MB", (double)done / 1e6);
	}
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &screen) == 0 && screen.ws_col > 1 &&
	    screen.ws_col < size)
		size = screen.ws_col;
	n = snprintf(text, size, "%s: %s: %s, %.0f MB/s%s", program, file, far,
	             rate / 1e6, left);
	if (n < 0)
		return;
	n = (size_t)n < size ? n : (int)size - 1;
	/* Blanks over what was longer before. */
	fprintf(stderr, "\r%s%*s", text,
	        line.width > (size_t)n ? (int)line.width - n : 0, "");
	line.width = (size_t)n;
}

static void
tell(void *ctx, const char *name, uint64_t done, uint64_t all)
{
	struct timespec t;
	int64_t now;

	(void)ctx;
	if (!name) {
		erase();
		line.file_began = 0;
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	if (!line.file_began)
		line.file_began = now;
	if (now - line.began < SHOW_AFTER_MS * INT64_C(1000000) ||
	    now - line.shown < SHOW_EVERY_MS * INT64_C(1000000))
		return;
	line.shown = now;
	show(name, done, all, (double)(now - line.file_began) / 1e9);
}

struct progress
cli_progress(enum progress_when when, bool is_quiet)
{
	const char *term = getenv("TERM");
	struct timespec t;
	bool on = when == PROGRESS_ALWAYS ||
	        (when == PROGRESS_AUTO && !is_quiet && isatty(STDERR_FILENO) && term &&
	         strcmp(term, "dumb") != 0);

	clock_gettime(CLOCK_MONOTONIC, &t);
	line.began = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	return (struct progress){ .tell = on ? tell : NULL };
}

char **
cli_inputs(char **operands)
{
	static char dash[] = "-", *just_stdin[] = { dash, NULL };

	if (!*operands)
		operands = just_stdin;
	if (strcmp(*operands, "-") == 0 && isatty(STDIN_FILENO))
		cli_note("reading standard input from the terminal (-h for help)");
	return operands;
}

int
cli_stop_fd(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int
cli_usage(const char *synopsis)
{
	fprintf(stderr, "usage: %s\n", synopsis);
	return EXIT_TROUBLE;
}

void
cli_bad(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

int
cli_fail(const struct err *e)
{
	char text[768];

	fflush(stdout);
	erase();
	fprintf(stderr, "%s: %s\n", program, err_text(e, text, sizeof text));
	return e->kind == ERR_REMOTE ? EXIT_BUSY : EXIT_TROUBLE;
}

int
cli_about(int option, const char *help)
{
	if (option == 'h')
		fputs(help, stdout);
	else
		printf("%s %s\n", program, VERSION);
	return cli_finish(EXIT_OK);
}

int
cli_options(int c, const struct err *e, const char *synopsis, const char *help)
{
	if (c == 0)
		return -1;
	if (c < 0)
		return cli_fail(e);
	return c == '?' ? cli_usage(synopsis) : cli_about(c, help);
}

int
cli_finish(int status)
{
	erase();
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "%s: standard output: cannot write\n", program);
		return EXIT_TROUBLE;
	}
	return status;
}

bool
cli_size(const char *option, const char *text, uint64_t *out)
{
	if (num_size(text, out))
		return true;
	cli_bad("--%s: '%s' is not a size (try 64M)", option, text);
	return false;
}
