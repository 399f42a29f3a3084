#include "base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/num.h"

static const char *program = "flamepipe";
static bool quiet;

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
