/*
 * JSON as a stream: a writer onto a sink, which puts the commas, and a pull reader over
 * bytes in memory. Integers are 64 bits on both sides; text is UTF-8.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "bytes/cur.h"
#include "bytes/io.h"

struct json_out {
	struct sink *sink;
	bool comma; /* the next value needs one before it */
};

void json_obj(struct json_out *);
void json_obj_end(struct json_out *);
void json_arr(struct json_out *);
void json_arr_end(struct json_out *);
/* key must not need escaping. */
void json_key(struct json_out *, const char *key);
void json_key_str(struct json_out *, struct str key);
/* Bytes that are not UTF-8 are written as U+FFFD. */
void json_str(struct json_out *, struct str);
/* A member of an object, which an empty text is not. */
void json_key_text(struct json_out *, const char *key, struct str);
void json_int(struct json_out *, int64_t);
/* The shortest decimal that reads back as the same double; NaN and infinities as null.
 */
void json_num(struct json_out *, double);
void json_bool(struct json_out *, bool);
void json_ints(struct json_out *, const int64_t *, size_t n);
void json_u32s(struct json_out *, const uint32_t *, size_t n);

enum json_tok {
	TOK_BAD, /* the error is in err */
	TOK_EOF, /* nothing but white space is left, and nothing is open */
	TOK_OBJ,
	TOK_OBJ_END,
	TOK_ARR,
	TOK_ARR_END,
	TOK_KEY,  /* in str */
	TOK_STR,  /* in str */
	TOK_INT,  /* in i: a whole number of 64 bits, however written */
	TOK_NUM,  /* in num: any other */
	TOK_BOOL, /* in i, 0 or 1 */
	TOK_NULL
};

/* All-zero but for c is ready to use. */
struct json_in {
	struct cur c;
	struct str str; /* valid until the next call */
	int64_t i;
	double num;
	uint64_t at; /* offset of the last token */
	struct buf text;
	/* State: what is open, outermost first, one bit each (1: object). */
	struct buf open;
	size_t depth;
	unsigned expect;
};

enum json_tok json_next(struct json_in *, struct err *);
/* Step over the value that comes next, whatever it is. */
bool json_skip(struct json_in *, struct err *);
/* The next value, which must be of that type. */
bool json_want(struct json_in *, enum json_tok, const char *what, struct err *);
/*
 * After json_want(TOK_ARR): all its integers into *p, grown with xgrow, up to and with
 * the end of the array.
 */
bool json_read_ints(struct json_in *, int64_t **p, size_t *n, size_t *cap,
                    struct err *);
void json_in_clear(struct json_in *);

/*
 * Length of the first complete top-level object or array of text, which begins with it,
 * or 0 if it does not end there. *state, zero at first, remembers a scan of a prefix.
 */
struct json_scan {
	size_t at, depth;
	bool text, escape;
};
size_t json_extent(struct json_scan *, struct str);

#endif
