/*
 * A chunk is complete when its header has a size that the file has, both offsets, and
 * generation 0. The JVM writes the header early and again at each flush: generation 1
 * to 254 counts them, and 255 stands while the header is being written. async-profiler
 * writes offsets of 0 until the end.
 *
 * A repository is a folder named yyyy_mm_dd_hh_mm_ss_PID; so are its chunks, without
 * the process. The JVM makes the next file before it completes the one before, and
 * removes the folder when it ends.
 */
#include "formats/jfr_follow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "formats/jfr_part.h"

enum {
	MAX_OPEN = 256, /* files that wait for their turn */
	WAIT_MS = 250,  /* between two looks where nothing else tells */
	/* A JVM flushes every second: after this one that cannot be seen has ended. */
	SILENT_S = 30
};
/* Of a chunk, in memory. */
#define MAX_CHUNK ((uint64_t)1 << 32)

/* What a file has behind the chunks that were given. */
enum state { WAITING, COMPLETE, BAD };

struct tail {
	char *name, *path;
	int fd;
	uint64_t at, size; /* of the next chunk, and of the file */
	struct jfr_header h;
	enum state state;
	const char *why; /* if bad */
};

struct jfr_follow {
	char *path;
	bool folder;
	int notify, process, stop, out; /* descriptors; -1: none */
	struct tail *tails;
	size_t ntails, cap_tails;
	struct intern done; /* names of files that gave all they have */
	struct buf chunk;
	char *name;  /* of the last chunk's file */
	bool final;  /* the last chunk of the recording was given */
	bool unseen; /* there is no process here that the folder is named after */
	bool ended;  /* folder, file or process are gone */
	bool stopped;
};

static char *
joined(const char *dir, const char *name)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *p = xmalloc(n);

	snprintf(p, n, "%s/%s", dir, name);
	return p;
}

static char *
copied(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xmalloc(n), s, n);
}

/* ---- the folder ---- */

/* The process in yyyy_mm_dd_hh_mm_ss_PID; 0: the name is another. */
static long
process_of(const char *path)
{
	static const char form[] = "dddd_dd_dd_dd_dd_dd_";
	size_t n = strlen(path), begin, i = 0;
	uint64_t pid;

	while (n && path[n - 1] == '/')
		n--;
	for (begin = n; begin && path[begin - 1] != '/';)
		begin--;
	for (path += begin, n -= begin; form[i]; i++)
		if (i >= n ||
		    (form[i] == 'd' ? path[i] < '0' || path[i] > '9'
		                    : path[i] != form[i]))
			return 0;
	if (!num_u64((struct str){ path + i, n - i }, &pid) || pid > INT32_MAX)
		return 0;
	return (long)pid;
}

static bool
is_chunk(const char *name)
{
	return str_ends(str_of(name), STR(".jfr"));
}

/* The repository at path or one below it, whose path replaces *path. */
static bool
find_repository(char **path, struct err *e)
{
	bool here = process_of(*path) != 0;
	DIR *dir = here ? NULL : opendir(*path);
	const struct dirent *d;
	char *below = NULL;
	size_t n = 0;

	if (here)
		return true;
	if (!dir)
		return err_set(e, ERR_IO, "%s", strerror(errno));
	while (!here && (d = readdir(dir))) {
		here = is_chunk(d->d_name);
		if (!process_of(d->d_name) || n++)
			continue;
		below = joined(*path, d->d_name);
	}
	closedir(dir);
	if (here || n != 1) {
		free(below);
		if (here)
			return true;
		return n ? err_set(e, ERR_USAGE,
		                   "holds %zu repositories of recorders; name one", n)
		         : err_set(e, ERR_USAGE,
		                   "no repository of a recorder: neither chunks "
		                   "(*.jfr) nor a folder of them");
	}
	free(*path);
	*path = below;
	return true;
}

/* ---- one file ---- */

static void
remove_tail(struct jfr_follow *w, size_t i)
{
	struct tail *t = &w->tails[i];

	intern_id(&w->done, str_of(t->name));
	close(t->fd);
	free(t->name);
	free(t->path);
	memmove(t, t + 1, (w->ntails - i - 1) * sizeof *t);
	w->ntails--;
}

/* Up to n bytes at an offset; what is not there is not read. */
static bool
read_at(int fd, void *p, size_t n, uint64_t at, size_t *got)
{
	*got = 0;
	while (*got < n) {
		ssize_t r = pread(fd, (char *)p + *got, n - *got, (off_t)(at + *got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return false;
		if (r == 0)
			break;
		*got += (size_t)r;
	}
	return true;
}

static enum state
bad(struct tail *t, const char *why)
{
	t->why = why;
	return t->state = BAD;
}

/* Look at the header of what comes next in the file. */
static enum state
look(struct tail *t)
{
	unsigned char one[JFR_HEADER], two[JFR_HEADER];
	struct jfr_header *h = &t->h;
	struct stat st;
	size_t n = 0, again = 0;

	t->state = WAITING;
	if (fstat(t->fd, &st) < 0 || !read_at(t->fd, one, sizeof one, t->at, &n) ||
	    !read_at(t->fd, two, sizeof two, t->at, &again))
		return bad(t, strerror(errno));
	t->size = (uint64_t)st.st_size;
	if (t->size < t->at)
		return bad(t, "the file became shorter");
	if (n >= 4 && memcmp(one, "FLR", 4) != 0)
		return bad(t, t->at ? "no chunk begins here" : "not a JFR file");
	/* It may be written at this moment. */
	if (n < JFR_HEADER || again < n || memcmp(one, two, n) != 0)
		return WAITING;
	jfr_header_read(h, one, t->at);
	if (h->major == 0 || h->major > 2)
		return bad(t, "JFR of a version that is not supported");
	if (!h->generation && h->meta && h->pools && h->size >= JFR_HEADER &&
	    h->size <= t->size - t->at)
		t->state = COMPLETE;
	return t->state;
}

/* The bytes of the chunk: to its end, or what there is of it. */
static bool
give(struct jfr_follow *w, struct tail *t, struct jfr_followed *out, struct err *e)
{
	uint64_t n = t->size - t->at;
	bool flushed = t->h.generation && t->h.generation != 255 &&
	        t->h.size >= JFR_HEADER && t->h.meta;
	size_t got;

	out->unfinished = t->state != COMPLETE;
	if ((!out->unfinished || flushed) && t->h.size < n)
		n = t->h.size;
	if (n > MAX_CHUNK)
		return err_at(e, ERR_LIMIT, t->at, "chunk of more than %llu bytes",
		              (unsigned long long)MAX_CHUNK);
	w->chunk.n = 0;
	buf_room(&w->chunk, (size_t)n);
	if (!read_at(t->fd, w->chunk.p, (size_t)n, t->at, &got))
		return err_sys(e, "read");
	w->chunk.n = got;
	free(w->name);
	out->name = w->name = copied(t->path);
	out->at = t->at;
	out->bytes = buf_view(&w->chunk);
	w->final = w->final || (!out->unfinished && t->h.final);
	t->at += got;
	memset(&t->h, 0, sizeof t->h);
	return true;
}

/* ---- all files ---- */

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What begins first; a file without a header is new. */
static int
by_start(const void *a, const void *b)
{
	const struct tail *x = a, *y = b;
	uint64_t i = x->h.start_ns - 1, j = y->h.start_ns - 1;

	if (i != j)
		return i > j ? 1 : -1;
	return strcmp(x->name, y->name);
}

static bool
known(const struct jfr_follow *w, const char *name)
{
	for (size_t i = 0; i < w->ntails; i++)
		if (strcmp(w->tails[i].name, name) == 0)
			return true;
	return intern_find(&w->done, str_of(name)) != UINT32_MAX;
}

static void
add(struct jfr_follow *w, const char *name, char *path, int fd)
{
	w->tails = xgrow(w->tails, &w->cap_tails, w->ntails + 1, sizeof *w->tails);
	w->tails[w->ntails++] =
	        (struct tail){ .name = copied(name), .path = path, .fd = fd };
}

/* Open a file that is new; what is no plain file, or gone again, is left alone. */
static void
open_new(struct jfr_follow *w, const char *name)
{
	char *path = joined(w->path, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		add(w, name, path, fd);
		return;
	}
	/* Too many open files, say, will pass; a pipe remains one. */
	if (fd >= 0) {
		intern_id(&w->done, str_of(name));
		close(fd);
	}
	free(path);
}

static void
scan_folder(struct jfr_follow *w)
{
	DIR *dir = opendir(w->path);
	char **names = NULL;
	size_t n = 0, cap = 0;
	const struct dirent *d;

	if (!dir) {
		w->ended = w->ended || errno == ENOENT || errno == ENOTDIR;
		return;
	}
	while ((d = readdir(dir))) {
		if (!is_chunk(d->d_name) || known(w, d->d_name))
			continue;
		names = xgrow(names, &cap, n + 1, sizeof *names);
		names[n++] = copied(d->d_name);
	}
	closedir(dir);
	/* Names are dates: where there are too many, the oldest first. */
	if (n)
		qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n; i++) {
		if (w->ntails < MAX_OPEN)
			open_new(w, names[i]);
		free(names[i]);
	}
	free(names);
}

static void
scan(struct jfr_follow *w)
{
	struct stat at, is;

	if (w->folder)
		scan_folder(w);
	/* A file is followed as the file it was. */
	else if (stat(w->path, &at) < 0 ||
	         (w->ntails && fstat(w->tails[0].fd, &is) == 0 &&
	          (at.st_ino != is.st_ino || at.st_dev != is.st_dev)))
		w->ended = true;
	for (size_t i = 0; i < w->ntails; i++)
		look(&w->tails[i]);
	if (w->ntails)
		qsort(w->tails, w->ntails, sizeof *w->tails, by_start);
	/* Files of a folder are there for one chunk. */
	for (size_t i = w->ntails; w->folder && i-- > 0;)
		if (w->tails[i].at && w->tails[i].at == w->tails[i].size)
			remove_tail(w, i);
}

/*
 * Whether a JVM that flushes has not done so for long. One that is not seen here may
 * run in another container.
 */
static bool
silent(const struct jfr_follow *w)
{
	time_t now = time(NULL);
	bool flushes = false;
	struct stat st;

	for (size_t i = 0; i < w->ntails; i++) {
		uint8_t generation = w->tails[i].h.generation;

		if (fstat(w->tails[i].fd, &st) < 0 || now - st.st_mtime < SILENT_S)
			return false;
		flushes = flushes || (generation && generation != 255);
	}
	return flushes;
}

/* Whether the first can be had: it is complete, or what began later is. */
static bool
ready(const struct jfr_follow *w)
{
	if (!w->ntails)
		return false;
	if (w->tails[0].state != WAITING)
		return true;
	for (size_t i = 1; i < w->ntails; i++)
		if (w->tails[i].state == COMPLETE)
			return true;
	return false;
}

/* Until something happens, or some time has passed. */
static void
wait_for_more(struct jfr_follow *w)
{
	struct pollfd p[] = { { w->stop, POLLIN, 0 },
		              { w->out, 0, 0 },
		              { w->process, POLLIN, 0 },
		              { w->notify, POLLIN, 0 } };
	char events[4096];

	/* A descriptor of -1 is none to poll. */
	if (poll(p, sizeof p / sizeof *p, WAIT_MS) <= 0)
		return;
	w->stopped = w->stopped || p[0].revents || (p[1].revents & (POLLERR | POLLHUP));
	w->ended = w->ended || p[2].revents;
	if (p[3].revents)
		(void)!read(w->notify, events, sizeof events);
}

/* Whether the first is to be given although it is not complete: nothing else will be.
 */
static bool
leftover(struct jfr_follow *w)
{
	/* A file that was made, and nothing put into it. */
	while (w->ntails && w->tails[0].at == w->tails[0].size)
		remove_tail(w, 0);
	return w->ntails > 0;
}

static bool
asked_to_stop(struct jfr_follow *w)
{
	struct pollfd p = { w->stop, POLLIN, 0 };

	return w->stopped || poll(&p, 1, 0) > 0;
}

enum jfr_follow_what
jfr_follow_next(struct jfr_follow *w, struct jfr_followed *out, struct err *e)
{
	struct tail *t;
	bool ok;

	/*
	 * What ends the following is known before the last look, so that nothing can
	 * come between.
	 */
	for (;;) {
		bool ended = w->ended, stopped = asked_to_stop(w);

		scan(w);
		if (ready(w))
			break;
		if (stopped)
			return FOLLOW_END;
		if (ended && leftover(w))
			break;
		if (ended || (w->final && !w->ntails) ||
		    (w->final && !w->folder && !leftover(w)))
			return FOLLOW_END;
		w->ended = w->ended || (w->unseen && silent(w));
		/* The end that scan() found takes another look, at once. */
		if (!w->ended)
			wait_for_more(w);
	}
	t = &w->tails[0];
	if (t->state == BAD) {
		err_at(e, ERR_FORMAT, t->at, "%s", t->why);
		err_in(e, t->path);
		remove_tail(w, 0);
		w->ended = w->ended || !w->folder;
		return FOLLOW_BAD;
	}
	ok = give(w, t, out, e);
	if (!ok)
		err_in(e, t->path);
	if (!ok || out->unfinished || !out->bytes.n) {
		remove_tail(w, 0);
		w->ended = w->ended || !w->folder;
	}
	return ok ? FOLLOW_CHUNK : FOLLOW_BAD;
}

/* ---- beginning and end ---- */

static bool
open_file(struct jfr_follow *w, struct err *e)
{
	int fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		err_set(e, ERR_IO, "%s", strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		err_set(e, ERR_USAGE, "neither a folder nor a file that can grow");
	} else {
		add(w, w->path, copied(w->path), fd);
		return true;
	}
	if (fd >= 0)
		close(fd);
	return false;
}

static bool
open_folder(struct jfr_follow *w, struct err *e)
{
	long pid;

	if (!find_repository(&w->path, e))
		return false;
	pid = process_of(w->path);
	if (pid) {
		w->process = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
		w->unseen = w->process < 0 && errno == ESRCH;
	}
	/* Only to look sooner than after WAIT_MS. */
	w->notify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (w->notify >= 0)
		(void)!inotify_add_watch(w->notify, w->path,
		                         IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE |
		                                 IN_DELETE_SELF);
	return true;
}

bool
jfr_follow_open(struct jfr_follow **out, const char *path, int stop, int pipe_fd,
                struct err *e)
{
	struct jfr_follow *w = xcalloc(1, sizeof *w);
	struct stat st;
	bool ok;

	w->path = copied(path);
	w->notify = w->process = -1;
	w->stop = stop;
	w->out = pipe_fd;
	if (stat(path, &st) < 0) {
		ok = err_set(e, ERR_IO, "%s", strerror(errno));
	} else {
		w->folder = S_ISDIR(st.st_mode);
		ok = w->folder ? open_folder(w, e) : open_file(w, e);
	}
	*out = ok ? w : NULL;
	if (!ok) {
		err_in(e, path);
		jfr_follow_close(w);
	}
	return ok;
}

void
jfr_follow_close(struct jfr_follow *w)
{
	if (!w)
		return;
	while (w->ntails)
		remove_tail(w, w->ntails - 1);
	if (w->notify >= 0)
		close(w->notify);
	if (w->process >= 0)
		close(w->process);
	free(w->tails);
	intern_clear(&w->done);
	buf_clear(&w->chunk);
	free(w->name);
	free(w->path);
	free(w);
}
