/*
 * The table of distinct frames of one program run. Two frames are one if name, class,
 * file, line, module and address are all equal; what of these is identity in a document
 * is decided when its tree is made (tree/build.h).
 *
 * A stack holds frame ids: the frame's index and how the frame ran, in one word.
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>

#include "base/map.h"
#include "base/str.h"

/* In the order of their names, so that comparing numbers is comparing names. */
enum frame_class {
	CLASS_NONE,
	CLASS_CXX,
	CLASS_KERNEL,
	CLASS_LABEL, /* a label drawn as a frame, such as a thread */
	CLASS_MANAGED,
	CLASS_NATIVE,
	CLASS_TYPE, /* an allocated class or lock class */
	CLASS_COUNT
};

/* How a managed frame ran: where two meet on one node, the first of these is kept. */
enum frame_kind {
	KIND_NONE,
	KIND_JIT,
	KIND_C1,
	KIND_INLINED,
	KIND_INTERPRETED,
	KIND_COUNT
};

/* The identity fields beside name and class. */
enum { ID_FILE = 1, ID_LINE = 2, ID_MODULE = 4, ID_ADDRESS = 8, ID_ALL = 15 };

extern const char *const frame_class_name[CLASS_COUNT]; /* "" for none */
extern const char *const frame_kind_name[KIND_COUNT];

struct frame {
	struct str name, file, module; /* UTF-8; empty: not known */
	uint64_t address;              /* 0: not known */
	int64_t line;                  /* 0: not known; never negative */
	enum frame_class class;
};

struct frames {
	struct frame *at; /* by index; the strings belong to the table */
	uint32_t n;
	size_t cap;
	unsigned fields;    /* ID_ bits of the fields that any frame has */
	struct intern text; /* each string once, however many frames share it */
	struct frames_slot *slots;
	size_t mask;
};

/* A frame id as it stands in stacks: index and kind. */
#define FRAME_ID(index, kind) ((uint32_t)(index) << 3 | (uint32_t)(kind))
#define FRAME_INDEX(id) ((id) >> 3)
#define FRAME_KIND(id) ((enum frame_kind)((id)&7))

/* The index of a frame, which is copied if new. */
uint32_t frames_index(struct frames *, const struct frame *);
/* The index of a frame that is there. */
uint32_t frames_find(const struct frames *, const struct frame *);
/* The same for a frame that is a name and a class. */
uint32_t frames_name(struct frames *, struct str name, enum frame_class);
/* Canonical order: name, class, file, module, line, address; of identity mask alone. */
int frame_cmp(const struct frame *, const struct frame *, unsigned identity);
/* The frame with nothing but name, class and the identity fields. */
struct frame frame_identity(const struct frame *, unsigned identity);
/* Where frames of two kinds meet: the first of jit, c1, inlined, interpreted; or none.
 */
static inline uint8_t
frame_kind_join(uint32_t kind, uint32_t other)
{
	return (uint8_t)(((other - 1) & 7) < ((kind - 1) & 7) ? other : kind);
}
/* Keep in *to the smallest attributes of both: (file, line), module. */
void frame_attributes(struct frame *to, const struct frame *from, unsigned identity);
/*
 * Ranks from 1 in canonical order of the given frames (indices into the table) under an
 * identity: rank[index], for n indices of which no two are equal under it.
 */
void frames_rank(const struct frames *, const uint32_t *index, size_t n,
                 unsigned identity, uint32_t *rank);
void frames_clear(struct frames *);

#endif
