/*
 * cost - run a command some times and print what the best run took: seconds of CPU,
 * peak resident memory and peak anonymous memory in KiB, and the worst exit status. The
 * command's standard output goes to /dev/null.
 *
 *	cost RUNS COMMAND [ARGUMENT ...]
 *
 * The kernel keeps the peak of all resident memory, files that are mapped and all, but
 * not that of anonymous memory: this is looked at every millisecond.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct cost {
	double cpu;
	long resident, anonymous; /* KiB */
	int status;
};

static _Noreturn void
fail(const char *what)
{
	fprintf(stderr, "cost: %s\n", what);
	exit(2);
}

static long
anonymous_now(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[128];
	long kib = 0;

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "RssAnon:", 8) == 0)
			kib = strtol(line + 8, NULL, 10);
	if (f)
		fclose(f);
	return kib;
}

static _Noreturn void
run_child(char **command)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
		execvp(command[0], command);
	_exit(127);
}

static struct cost
run(char **command)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	struct cost c = { 0 };
	struct rusage u;
	char path[64];
	int status;
	pid_t pid = fork();

	if (pid < 0)
		fail("cannot fork");
	if (pid == 0)
		run_child(command);
	snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
	while (wait4(pid, &status, WNOHANG, &u) == 0) {
		long kib = anonymous_now(path);

		if (kib > c.anonymous)
			c.anonymous = kib;
		nanosleep(&tick, NULL);
	}
	c.cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	        (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	c.resident = u.ru_maxrss;
	c.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return c;
}

int
main(int argc, char **argv)
{
	long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	struct cost best = { 0 };
	int worst = 0;

	if (runs < 1)
		fail("usage: cost runs command [argument ...]");
	for (long i = 0; i < runs; i++) {
		struct cost c = run(argv + 2);

		if (c.status > worst)
			worst = c.status;
		if (i == 0 || c.cpu < best.cpu)
			best = c;
	}
	printf("%.4f %ld %ld %d\n", best.cpu, best.resident, best.anonymous, worst);
	return 0;
}
