/*
 * A cursor over bytes that nobody vouches for. Each read checks what is left before it
 * moves; on failure the cursor stays, so the offset in the message is the start of the
 * bad field. Offsets in messages count from base, plus origin.
 */
#ifndef CUR_H
#define CUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct cur {
	const unsigned char *p, *end, *base;
	uint64_t origin; /* offset of base in the input */
};

static inline struct cur
cur_of(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;

	return (struct cur){ .p = p, .end = p ? p + s.n : p, .base = p };
}

static inline size_t
cur_left(const struct cur *c)
{
	return (size_t)(c->end - c->p);
}

static inline uint64_t
cur_offset(const struct cur *c)
{
	return c->origin + (uint64_t)(c->p - c->base);
}

/* Base-128 number of protobuf: at most ten bytes, bits above 64 are lost. */
bool cur_varint_slow(struct cur *, uint64_t *out, struct err *);

static inline bool
cur_varint(struct cur *c, uint64_t *out, struct err *e)
{
	if (c->p < c->end && c->p[0] < 0x80) {
		*out = *c->p++;
		return true;
	}
	if (c->end - c->p >= 2 && c->p[1] < 0x80) {
		*out = (c->p[0] & 0x7fU) | (uint64_t)c->p[1] << 7;
		c->p += 2;
		return true;
	}
	return cur_varint_slow(c, out, e);
}

bool cur_u8(struct cur *, uint8_t *out, struct err *);
bool cur_u16be(struct cur *, uint16_t *out, struct err *);
bool cur_u32be(struct cur *, uint32_t *out, struct err *);
bool cur_u64be(struct cur *, uint64_t *out, struct err *);
bool cur_u32le(struct cur *, uint32_t *out, struct err *);
bool cur_u64le(struct cur *, uint64_t *out, struct err *);
/* The next len bytes as a cursor of their own. */
bool cur_take(struct cur *, uint64_t len, struct cur *out, struct err *);
bool cur_skip(struct cur *, uint64_t len, struct err *);

/* One protobuf field: number, wire type and what follows. */
struct pb_field {
	uint32_t number;
	unsigned wire;    /* 0 varint, 1 64 bits, 2 bytes, 5 32 bits */
	uint64_t value;   /* of wire types 0, 1 and 5 */
	struct cur bytes; /* of wire type 2 */
	uint64_t offset;  /* of the field's tag */
};

/* Read one field. Groups and unknown wire types are errors. */
bool cur_field(struct cur *, struct pb_field *out, struct err *);

/* The bytes left as a view. */
static inline struct str
cur_str(const struct cur *c)
{
	return (struct str){ (const char *)c->p, cur_left(c) };
}

#endif
