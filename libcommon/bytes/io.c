#include "bytes/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "base/arena.h"

enum { CHUNK = 1 << 17, PAD = 8 };

enum packing { UNKNOWN, PLAIN, GZIP, ZSTD };

struct source {
	char *name;
	int fd;      /* -1: memory */
	off_t start; /* where a file was when it was opened; -1: it cannot go back */
	struct str mem, all;
	uint64_t limit;
	struct warn warn;
	struct progress progress;

	/* What the descriptor gave and no decoder took yet. */
	const unsigned char *in;
	unsigned char *in_buf; /* what in points to, but for memory */
	size_t in_at, in_n;
	uint64_t in_offset; /* of in[in_n] */
	uint64_t first;     /* of the first byte */
	uint64_t taken;     /* bytes that were read */
	uint64_t size;      /* of a plain file; 0: not known */
	bool in_eof;

	enum packing packing;
	z_stream z;
	ZSTD_DStream *zd;
	bool mid; /* inside a gzip member or zstd frame */
	bool eof; /* nothing more will come out */

	/* Uncompressed bytes not yet stepped over. */
	char *out;
	size_t at, n, cap;
	uint64_t offset; /* of out[at] */
};

static struct source *
source_new(const char *name, const struct source_opts *opts)
{
	struct source *s = xcalloc(1, sizeof *s);

	s->name = xmalloc(strlen(name) + 1);
	memcpy(s->name, name, strlen(name) + 1);
	s->fd = -1;
	if (opts) {
		s->limit = opts->limit;
		s->first = s->offset = s->in_offset = opts->offset;
		s->warn = opts->warn;
		s->progress = opts->progress;
	}
	return s;
}

bool
source_open(struct source **out, const char *path, const struct source_opts *opts,
            struct err *e)
{
	struct source *s = source_new(path, opts);
	struct stat st;

	*out = NULL;
	s->fd = strcmp(path, "-") == 0 ? STDIN_FILENO
	                               : open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || fstat(s->fd, &st) < 0) {
		err_set(e, ERR_IO, "%s", strerror(errno));
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		err_set(e, ERR_IO, "is a directory");
		goto fail;
	}
	s->start = S_ISREG(st.st_mode) ? lseek(s->fd, 0, SEEK_CUR) : -1;
	s->in = s->in_buf = xmalloc(CHUNK);
	if (s->start >= 0 && st.st_size > s->start)
		s->size = (uint64_t)(st.st_size - s->start);
	*out = s;
	return true;
fail:
	err_in(e, path);
	source_close(s);
	return false;
}

struct source *
source_mem(const char *name, struct str bytes, const struct source_opts *opts)
{
	struct source *s = source_new(name, opts);

	s->mem = s->all = bytes;
	return s;
}

const char *
source_name(const struct source *s)
{
	return s->name;
}

uint64_t
source_offset(const struct source *s)
{
	return s->offset;
}

uint64_t
source_taken(const struct source *s)
{
	return s->taken;
}

const char *
source_packed(const struct source *s)
{
	return s->packing == GZIP ? "gzip" : s->packing == ZSTD ? "zstd" : NULL;
}

/* More raw bytes behind those not yet taken, into p. Short only at the end. */
static bool
read_raw(struct source *s, void *p, size_t want, size_t *got, struct err *e)
{
	ssize_t n;

	if (s->fd < 0) {
		*got = want < s->mem.n ? want : s->mem.n;
		if (*got == 0) /* memory of no bytes may be nowhere */
			return true;
		memcpy(p, s->mem.p, *got);
		s->mem.p += *got;
		s->mem.n -= *got;
		s->taken += *got;
		return true;
	}
	do
		n = read(s->fd, p, want);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		err_set(e, ERR_IO, "read: %s", strerror(errno));
		return err_in(e, s->name);
	}
	*got = (size_t)n;
	s->taken += *got;
	progress_tell(&s->progress, s->name, s->taken, s->size);
	return true;
}

static bool
fill_in(struct source *s, struct err *e)
{
	size_t got = 0;

	if (s->in_at < s->in_n || s->in_eof)
		return true;
	if (s->fd < 0) { /* memory is its own buffer; it is only read */
		s->in = (const unsigned char *)s->mem.p;
		s->in_n = s->mem.n;
		s->in_at = 0;
		s->in_offset += s->mem.n;
		s->taken += s->mem.n;
		s->mem.n = 0;
		s->in_eof = s->in_n == 0;
		return true;
	}
	if (!read_raw(s, s->in_buf, CHUNK, &got, e))
		return false;
	s->in_at = 0;
	s->in_n = got;
	s->in_offset += got;
	s->in_eof = got == 0;
	return true;
}

static bool
broken(struct source *s, struct err *e, const char *what, const char *detail)
{
	err_at(e, ERR_FORMAT, s->in_offset - (s->in_n - s->in_at), "%s%s", what,
	       detail);
	s->eof = true;
	return err_in(e, s->name);
}

/* What follows a whole gzip member or zstd frame: another, padding, or garbage. */
static bool
next_member(struct source *s, const char *magic, size_t len, const char *what)
{
	size_t left = s->in_n - s->in_at, zeros = 0;
	const unsigned char *p = s->in + s->in_at;

	if (left >= len && memcmp(p, magic, len) == 0)
		return true;
	while (zeros < left && p[zeros] == 0)
		zeros++;
	s->eof = true;
	if (zeros < left)
		warn_say(&s->warn, "%s: bytes after the end of the %s data are ignored",
		         s->name, what);
	return false;
}

/* Keep a magic number from being cut by the end of the input buffer. */
static bool
join_in(struct source *s, size_t need, struct err *e)
{
	size_t left = s->in_n - s->in_at, got = 0;

	if (s->fd < 0)
		return true;
	memmove(s->in_buf, s->in + s->in_at, left);
	s->in_at = 0;
	s->in_n = left;
	while (s->in_n < need && !s->in_eof) {
		if (!read_raw(s, s->in_buf + s->in_n, CHUNK - s->in_n, &got, e))
			return false;
		s->in_n += got;
		s->in_offset += got;
		s->in_eof = got == 0;
	}
	return true;
}

static bool
inflate_some(struct source *s, char *p, size_t room, size_t *got, struct err *e)
{
	*got = 0;
	while (!*got && !s->eof) {
		int rc;

		if (!fill_in(s, e))
			return false;
		if (s->in_eof && s->in_at == s->in_n) {
			if (s->mid)
				return broken(s, e, "gzip: ", "the data end too early");
			s->eof = true;
			break;
		}
		if (!s->mid) {
			if (!join_in(s, 2, e))
				return false;
			if (!next_member(s, "\x1f\x8b", 2, "gzip"))
				break;
			if (inflateReset(&s->z) != Z_OK)
				return broken(s, e, "gzip: ", "cannot inflate");
			s->mid = true;
		}
		s->z.next_in = s->in + s->in_at;
		s->z.avail_in = s->in_n - s->in_at > UINT32_MAX
		        ? UINT32_MAX
		        : (uInt)(s->in_n - s->in_at);
		s->z.next_out = (Bytef *)p;
		s->z.avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
		rc = inflate(&s->z, Z_NO_FLUSH);
		*got = (size_t)((char *)s->z.next_out - p);
		s->in_at = (size_t)(s->z.next_in - s->in);
		if (rc == Z_STREAM_END)
			s->mid = false;
		else if (rc != Z_OK && rc != Z_BUF_ERROR)
			return broken(s, e,
			              "gzip: ", s->z.msg ? s->z.msg : "cannot inflate");
	}
	return true;
}

static bool
unzstd_some(struct source *s, char *p, size_t room, size_t *got, struct err *e)
{
	*got = 0;
	while (!*got && !s->eof) {
		ZSTD_inBuffer in;
		ZSTD_outBuffer out = { p, room, 0 };
		size_t rc;

		if (!fill_in(s, e))
			return false;
		if (s->in_eof && s->in_at == s->in_n) {
			if (s->mid)
				return broken(s, e, "zstd: ", "the data end too early");
			s->eof = true;
			break;
		}
		if (!s->mid) {
			if (!join_in(s, 4, e))
				return false;
			if (!next_member(s, "\x28\xb5\x2f\xfd", 4, "zstd"))
				break;
			s->mid = true;
		}
		in = (ZSTD_inBuffer){ s->in, s->in_n, s->in_at };
		rc = ZSTD_decompressStream(s->zd, &out, &in);
		s->in_at = in.pos;
		*got = out.pos;
		if (ZSTD_isError(rc))
			return broken(s, e, "zstd: ", ZSTD_getErrorName(rc));
		s->mid = rc != 0;
	}
	return true;
}

static bool
detect(struct source *s, struct err *e)
{
	const unsigned char *p;
	size_t left;

	if (!fill_in(s, e) || !join_in(s, 4, e))
		return false;
	p = s->in + s->in_at;
	left = s->in_n - s->in_at;
	s->packing = PLAIN;
	if (left >= 2 && p[0] == 0x1f && p[1] == 0x8b) {
		s->packing = GZIP;
		if (inflateInit2(&s->z, 15 + 16) != Z_OK)
			return broken(s, e, "gzip: ", "cannot inflate");
	} else if (left >= 4 && memcmp(p, "\x28\xb5\x2f\xfd", 4) == 0) {
		s->packing = ZSTD;
		s->zd = ZSTD_createDStream();
		if (!s->zd)
			return broken(s, e, "zstd: ", "cannot decompress");
	} else if (left >= 4 && memcmp(p, "\x04\x22\x4d\x18", 4) == 0) {
		return broken(s, e, "packed with lz4; unpack it with: ", "lz4 -dc");
	} else if (left >= 4 && memcmp(p, "\xfd\x37\x7a\x58", 4) == 0) {
		return broken(s, e, "packed with xz; unpack it with: ", "xz -dc");
	} else if (left >= 4 && memcmp(p, "PK\x03\x04", 4) == 0) {
		return broken(s, e, "a zip file; unpack it with: ", "unzip -p");
	}
	return true;
}

/* Some more uncompressed bytes, or s->eof. */
static bool
more(struct source *s, char *p, size_t room, size_t *got, struct err *e)
{
	if (s->packing == UNKNOWN && !detect(s, e)) {
		s->eof = true;
		*got = 0;
		return false;
	}
	if (s->packing == GZIP)
		return inflate_some(s, p, room, got, e);
	if (s->packing == ZSTD)
		return unzstd_some(s, p, room, got, e);
	if (s->in_at < s->in_n) {
		*got = s->in_n - s->in_at < room ? s->in_n - s->in_at : room;
		memcpy(p, s->in + s->in_at, *got);
		s->in_at += *got;
		return true;
	}
	if (!read_raw(s, p, room, got, e)) {
		s->eof = true;
		return false;
	}
	s->eof = *got == 0;
	return true;
}

bool
source_peek(struct source *s, size_t n, struct str *out, struct err *e)
{
	bool ok = true;

	while (ok && s->n - s->at < n && !s->eof) {
		size_t got = 0, room, missing = n - (s->n - s->at);

		if (s->at && s->at >= s->n / 2) {
			memmove(s->out, s->out + s->at, s->n - s->at);
			s->n -= s->at;
			s->at = 0;
		}
		/* Grows by what came, never by what was claimed. */
		if (s->cap - s->n < CHUNK + PAD)
			s->out = xgrow(s->out, &s->cap, s->n + CHUNK + PAD, 1);
		room = s->cap - s->n - PAD;
		/* Nor far beyond what was asked for, or that would have to be moved. */
		if (room > CHUNK && room > missing)
			room = missing > CHUNK ? missing : CHUNK;
		ok = more(s, s->out + s->n, room, &got, e);
		s->n += got;
		if (s->limit && s->offset + (s->n - s->at) > s->limit) {
			s->eof = true;
			ok = err_set(e, ERR_LIMIT, "more than %llu bytes uncompressed",
			             (unsigned long long)s->limit);
			err_in(e, s->name);
		}
	}
	if (s->out)
		memset(s->out + s->n, 0, PAD);
	*out = (struct str){ s->out ? s->out + s->at : "\0\0\0\0\0\0\0\0",
		             s->n - s->at };
	return ok;
}

void
source_skip(struct source *s, size_t n)
{
	s->at += n;
	s->offset += n;
	if (s->at == s->n)
		s->at = s->n = 0;
}

bool
source_all(struct source *s, struct str *out, struct err *e)
{
	return source_peek(s, SIZE_MAX, out, e);
}

static void
end_decoders(struct source *s)
{
	if (s->packing == GZIP)
		inflateEnd(&s->z);
	ZSTD_freeDStream(s->zd);
	s->z = (z_stream){ 0 };
	s->zd = NULL;
	s->packing = UNKNOWN;
}

bool
source_can_rewind(const struct source *s)
{
	return s->fd < 0 || s->start >= 0;
}

bool
source_rewind(struct source *s, struct err *e)
{
	if (s->fd >= 0 && lseek(s->fd, s->start, SEEK_SET) < 0) {
		err_set(e, ERR_IO, "seek: %s", strerror(errno));
		return err_in(e, s->name);
	}
	end_decoders(s);
	s->mem = s->all;
	s->in = s->in_buf;
	s->in_at = s->in_n = s->at = s->n = 0;
	s->in_offset = s->offset = s->first;
	s->taken = 0;
	s->in_eof = s->mid = s->eof = false;
	return true;
}

void
source_close(struct source *s)
{
	if (!s)
		return;
	end_decoders(s);
	if (s->fd >= 0) {
		progress_tell(&s->progress, NULL, s->taken, s->size);
		free(s->in_buf);
		if (s->fd != STDIN_FILENO)
			close(s->fd);
	}
	free(s->out);
	free(s->name);
	free(s);
}

struct sink {
	int fd; /* -1: buffer */
	struct buf *buf;
	char *path, *real; /* as given, and where links lead; NULL: standard output */
	char *temp;        /* what is renamed, "" while there is none */
	bool unnamed; /* the file has no name yet, so that nothing is left behind */
	int error;    /* errno of the first failure */
	size_t n;
	char hold[1 << 16];
};

static bool
write_all(struct sink *s, const char *p, size_t n)
{
	while (n && !s->error) {
		ssize_t w = write(s->fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0) {
			s->error = errno;
			break;
		}
		p += w;
		n -= (size_t)w;
	}
	return !s->error;
}

bool
sink_flush(struct sink *s)
{
	if (s->fd < 0)
		buf_put(s->buf, s->hold, s->n);
	else
		write_all(s, s->hold, s->n);
	s->n = 0;
	return !s->error;
}

/* The path name in the folder of the file at path. */
static char *
beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash + 1 - path) : 0, n = strlen(name) + 1;
	char *p = xmalloc(dir + n);

	memcpy(p, path, dir);
	memcpy(p + dir, name, n);
	return p;
}

/*
 * Where symbolic links lead, even if nothing is there yet: it is what they point to
 * that is replaced. An open descriptor (/dev/stdout) is nothing to be replaced: NULL.
 */
static char *
follow(const char *path)
{
	char *at = beside("", path), *next, to[4096];
	ssize_t n;

	for (int links = 0; links < 40; links++) {
		if ((n = readlink(at, to, sizeof to - 1)) <= 0)
			return at;
		to[n] = '\0';
		next = beside(to[0] == '/' ? "" : at, to);
		free(at);
		at = next;
		if (strncmp(at, "/proc/", 6) == 0)
			break;
	}
	free(at);
	return NULL;
}

/*
 * A file without a name where the system has that: then whatever ends the program
 * leaves nothing behind. Else one with a name of its own.
 */
static int
open_beside(struct sink *s)
{
	char *dir = beside(s->real, "."), link[32];
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	free(dir);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	s->unnamed = fd >= 0 && access(link, F_OK) == 0;
	s->temp = beside(s->real, ".flamepipe.XXXXXX");
	if (!s->unnamed) {
		if (fd >= 0)
			close(fd);
		fd = mkostemp(s->temp, O_CLOEXEC);
	}
	if (s->unnamed || fd < 0)
		s->temp[0] = '\0';
	return fd;
}

/* Give the file without a name one. */
static bool
name_it(struct sink *s)
{
	char link[32], name[64];

	snprintf(link, sizeof link, "/proc/self/fd/%d", s->fd);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof name, ".flamepipe.%ld.%u", (long)getpid(), i);
		free(s->temp);
		s->temp = beside(s->real, name);
		if (linkat(AT_FDCWD, link, AT_FDCWD, s->temp, AT_SYMLINK_FOLLOW) == 0)
			return true;
		if (errno != EEXIST)
			break;
	}
	s->error = errno;
	s->temp[0] = '\0';
	return false;
}

bool
sink_open(struct sink **out, const char *path, struct err *e)
{
	struct sink *s = xmalloc(sizeof *s);
	struct stat st;
	mode_t mask;
	bool there;

	s->fd = STDOUT_FILENO;
	s->buf = NULL;
	s->path = s->real = s->temp = NULL;
	s->unnamed = false;
	s->error = 0;
	s->n = 0;
	*out = s;
	if (!path || strcmp(path, "-") == 0)
		return true;
	s->path = xmalloc(strlen(path) + 1);
	memcpy(s->path, path, strlen(path) + 1);
	there = stat(path, &st) == 0;
	s->real = follow(path);
	if (!s->real || (there && !S_ISREG(st.st_mode))) {
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		s->fd = open_beside(s);
		mask = umask(0);
		umask(mask);
		/* What was private stays so. */
		if (s->fd >= 0)
			(void)!fchmod(s->fd, there ? st.st_mode & 0777 : 0666 & ~mask);
	}
	if (s->fd >= 0)
		return true;
	err_set(e, ERR_IO, "%s", strerror(errno));
	err_in(e, path);
	sink_discard(s);
	*out = NULL;
	return false;
}

struct sink *
sink_buf(struct buf *b)
{
	struct sink *s = xmalloc(sizeof *s);

	s->fd = -1;
	s->buf = b;
	s->path = s->real = s->temp = NULL;
	s->unnamed = false;
	s->error = 0;
	s->n = 0;
	return s;
}

bool
sink_write(struct sink *s, const void *p, size_t n)
{
	if (n > sizeof s->hold - s->n) {
		sink_flush(s);
		if (n > sizeof s->hold) {
			if (s->fd < 0)
				buf_put(s->buf, p, n);
			else
				write_all(s, p, n);
			return !s->error;
		}
	}
	if (n)
		memcpy(s->hold + s->n, p, n);
	s->n += n;
	return !s->error;
}

bool
sink_str(struct sink *s, struct str v)
{
	return sink_write(s, v.p, v.n);
}

bool
sink_printf(struct sink *s, const char *fmt, ...)
{
	char small[512], *big;
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof small) {
		sink_write(s, small, (size_t)n);
	} else if (n > 0) {
		big = xmalloc((size_t)n + 1);
		vsnprintf(big, (size_t)n + 1, fmt, again);
		sink_write(s, big, (size_t)n);
		free(big);
	}
	va_end(again);
	return !s->error;
}

char *
sink_room(struct sink *s, size_t n)
{
	if (n > sizeof s->hold - s->n)
		sink_flush(s);
	return s->hold + s->n;
}

void
sink_fill(struct sink *s, size_t used)
{
	s->n += used;
}

bool
sink_close(struct sink *s, struct err *e)
{
	bool ok;

	sink_flush(s);
	if (s->unnamed && !s->error)
		name_it(s);
	if (s->path && close(s->fd) < 0 && !s->error)
		s->error = errno;
	if (s->path)
		s->fd = -1;
	if (s->temp && !s->error) {
		if (rename(s->temp, s->real) < 0)
			s->error = errno;
		else
			s->temp[0] = '\0';
	}
	ok = !s->error;
	if (!ok) {
		err_set(e, ERR_IO, "write: %s", strerror(s->error));
		err_in(e, s->path ? s->path : "standard output");
	}
	sink_discard(s);
	return ok;
}

void
sink_discard(struct sink *s)
{
	if (!s)
		return;
	if (s->path && s->fd >= 0)
		close(s->fd);
	if (s->temp && s->temp[0])
		unlink(s->temp);
	free(s->temp);
	free(s->real);
	free(s->path);
	free(s);
}
