/* What the files of the SVG renderer share. */
#ifndef SVG_PARTS_H
#define SVG_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "render/svg.h"
#include "tree/tree.h"

/* --- svg_label.c: names, what they are made of and how they shrink --- */

/* A name cut into parts that can be dropped. All views are into text or the name. */
struct label_parts {
	struct buf text, spare; /* the cleaned name; scratch */
	struct str *segs;       /* package segments */
	size_t nsegs, segs_cap;
	struct str quals[2]; /* class; of Go the package and the receiver */
	size_t nquals;
	struct str fn, args;
	const char *sep, *join; /* between segments, between qualifiers */
};

/* A label as drawn: muted, strong, muted. */
struct label_fit {
	struct buf head, strong;
	struct str tail;
};

void label_parse(struct label_parts *, struct str name);
/* The first form of the parsed name within room columns; false: none is readable. */
bool label_fit(const struct label_parts *, size_t room, struct label_fit *);
/* What gives a name its family; empty if it has none. */
struct str label_package(const struct label_parts *);
/* Display columns: East Asian wide and emoji are two, combining marks none. */
size_t label_columns(struct str);
void label_parts_clear(struct label_parts *);
void label_fit_clear(struct label_fit *);

/* --- svg_colour.c: palettes --- */

/* FNV-1a, 32 bits. */
uint32_t svg_hash(struct str);
/* The variables of one theme, "--paper:#fbfaf7;...". */
void svg_variables(struct buf *, bool dark);
/* A rule for each variable that fills frames. */
void svg_fills(struct buf *);
/* The class that fills a frame: n03, k-jit-a, p7. */
void svg_fill_name(struct buf *, struct str name, struct str package);
void svg_fill_kind(struct buf *, struct str name, enum frame_class, enum frame_kind);
void svg_fill_package(struct buf *, struct str package);
/* What a frame is called by kind: its kind, else its class, else "none". */
const char *svg_kind(enum frame_class, enum frame_kind);

/* --- svg_text.c: text and numbers --- */

/* As XML text or attribute value; what XML 1.0 forbids becomes U+FFFD. */
void svg_escape(struct buf *, struct str);
/* Hundredths as a decimal without trailing zeros: 1250 is 12.5. */
void svg_fixed(struct buf *, int64_t hundredths);
/* Digits in groups of three. */
void svg_count(struct buf *, int64_t);
/* Three significant digits and a unit; a count in full. */
void svg_value(struct buf *, int64_t, struct str unit);
/* part of whole, never above 100 %. */
void svg_percent(struct buf *, int64_t part, int64_t whole);
/* "2023-11-14 22:13:20 – 22:14:20 UTC"; either end may be 0. */
void svg_window(struct buf *, int64_t start_ns, int64_t end_ns);

/* --- svg_plan.c: what of a document is drawn and how wide --- */

#define PLAN_SMALL UINT32_MAX

/*
 * The frames of a document that are kept, in preorder. Frames that were cut stand as
 * one node of frame PLAN_SMALL at the end of their parent's children.
 */
struct plan {
	const struct tree *tree;
	uint32_t npairs; /* sample types, or pairs of them in a differential document */
	uint32_t shown;  /* of these */
	uint32_t n;      /* nodes */
	uint32_t *parent;
	uint32_t *node;  /* in the tree; of a small node its parent's */
	uint32_t *frame; /* index into tree->frames, or PLAN_SMALL */
	uint32_t *count; /* frames that a small node stands for, else 1 */
	int64_t **self;  /* by column of the tree */
	int64_t **width; /* by pair: what the boxes share the width by */
	int64_t **total; /* by column */
	double *z;       /* by node, or NULL */
	uint32_t all;    /* frames that have a value */
	uint32_t kept;   /* frames that stand alone */
	bool kinds;      /* more than one kind or class of code */
	struct arena arena;
};

bool plan_make(struct plan *, const struct tree *, uint32_t max_frames, struct err *);
void plan_clear(struct plan *);
/* The value of target comparable with base: scaled, rounded, clamped. */
int64_t plan_scaled(const struct tree *, uint32_t pair, int64_t target);

/* How a frame changed: -4 to 4, 0 being noise; by the greatest |change| of 2, 10, 25,
 * 50 %. */
int plan_step(const struct plan *, uint32_t pair, uint32_t node);

/* --- svg_data.c: the documents as JSON for the script --- */

void svg_data(struct buf *, const struct plan *, size_t n, const struct svg_opts *);
/* The title of its picture, unless one is given. */
void svg_doc_title(struct buf *, const struct tree *);
/* What is known beside the total: event, window, duration, labels; joined by sep. */
void svg_doc_facts(struct buf *, const struct tree *, const struct svg_opts *);
/* What must be said about the picture, one sentence each, joined by blanks. */
void svg_doc_notes(struct buf *, const struct plan *);

#endif
