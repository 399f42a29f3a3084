#include "bytes/cur.h"

static bool
cut(const struct cur *c, size_t need, struct err *e)
{
	return err_at(e, ERR_FORMAT, cur_offset(c), "%zu bytes expected, %zu left",
	              need, cur_left(c));
}

bool
cur_varint_slow(struct cur *c, uint64_t *out, struct err *e)
{
	uint64_t v = 0;
	size_t left = cur_left(c);

	for (size_t i = 0; i < 10; i++) {
		if (i == left)
			return err_at(e, ERR_FORMAT, cur_offset(c), "number cut short");
		v |= (uint64_t)(c->p[i] & 0x7f) << (7 * i);
		if (c->p[i] < 0x80) {
			c->p += i + 1;
			*out = v;
			return true;
		}
	}
	return err_at(e, ERR_FORMAT, cur_offset(c), "number longer than ten bytes");
}

static bool
fixed(struct cur *c, size_t n, bool big, uint64_t *out, struct err *e)
{
	uint64_t v = 0;

	if (cur_left(c) < n)
		return cut(c, n, e);
	for (size_t i = 0; i < n; i++)
		v = v << 8 | c->p[big ? i : n - 1 - i];
	c->p += n;
	*out = v;
	return true;
}

bool
cur_u8(struct cur *c, uint8_t *out, struct err *e)
{
	uint64_t v = 0;

	if (!fixed(c, 1, true, &v, e))
		return false;
	*out = (uint8_t)v;
	return true;
}

bool
cur_u16be(struct cur *c, uint16_t *out, struct err *e)
{
	uint64_t v = 0;

	if (!fixed(c, 2, true, &v, e))
		return false;
	*out = (uint16_t)v;
	return true;
}

bool
cur_u32be(struct cur *c, uint32_t *out, struct err *e)
{
	uint64_t v = 0;

	if (!fixed(c, 4, true, &v, e))
		return false;
	*out = (uint32_t)v;
	return true;
}

bool
cur_u64be(struct cur *c, uint64_t *out, struct err *e)
{
	return fixed(c, 8, true, out, e);
}

bool
cur_u32le(struct cur *c, uint32_t *out, struct err *e)
{
	uint64_t v = 0;

	if (!fixed(c, 4, false, &v, e))
		return false;
	*out = (uint32_t)v;
	return true;
}

bool
cur_u64le(struct cur *c, uint64_t *out, struct err *e)
{
	return fixed(c, 8, false, out, e);
}

bool
cur_take(struct cur *c, uint64_t len, struct cur *out, struct err *e)
{
	if (len > cur_left(c))
		return err_at(e, ERR_FORMAT, cur_offset(c),
		              "%llu bytes announced, %zu left", (unsigned long long)len,
		              cur_left(c));
	*out = (struct cur){
		.p = c->p, .end = c->p + len, .base = c->base, .origin = c->origin
	};
	c->p += len;
	return true;
}

bool
cur_skip(struct cur *c, uint64_t len, struct err *e)
{
	struct cur ignored;

	return cur_take(c, len, &ignored, e);
}

bool
cur_field(struct cur *c, struct pb_field *f, struct err *e)
{
	struct cur at = *c;
	uint64_t tag, len;

	f->offset = cur_offset(c);
	if (!cur_varint(c, &tag, e))
		return false;
	if (tag >> 3 == 0 || tag >> 32) {
		*c = at;
		return err_at(e, ERR_FORMAT, f->offset, "no field has number %llu",
		              (unsigned long long)(tag >> 3));
	}
	f->number = (uint32_t)(tag >> 3);
	f->wire = (unsigned)(tag & 7);
	f->bytes = (struct cur){ 0 };
	f->value = 0;
	switch (f->wire) {
	case 0:
		if (cur_varint(c, &f->value, e))
			return true;
		break;
	case 1:
		if (cur_u64le(c, &f->value, e))
			return true;
		break;
	case 2:
		if (cur_varint(c, &len, e) && cur_take(c, len, &f->bytes, e))
			return true;
		break;
	case 5:
		if (fixed(c, 4, false, &f->value, e))
			return true;
		break;
	default:
		err_at(e, ERR_FORMAT, f->offset, "field %u has wire type %u", f->number,
		       f->wire);
	}
	*c = at;
	return false;
}
