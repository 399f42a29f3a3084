/*
 * Trees as one self-contained picture: fluid SVG that reads without script and is
 * interactive with it. The first document is drawn; the script can show the others and
 * every sample type, which the picture carries as data. The same trees and options give
 * the same bytes.
 */
#ifndef SVG_H
#define SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "bytes/io.h"
#include "tree/tree.h"

enum svg_colour {
	SVG_COLOUR_AUTO,
	SVG_COLOUR_NAME,
	SVG_COLOUR_KIND,
	SVG_COLOUR_PACKAGE
};
enum svg_theme { SVG_THEME_BOTH, SVG_THEME_LIGHT, SVG_THEME_DARK };

struct svg_opts {
	struct str title;    /* empty: from the labels of the document shown */
	struct str subtitle; /* stands first among the facts */
	unsigned width;      /* CSS pixels that labels of the widest fit are for */
	bool flame;          /* root at the bottom */
	bool no_script;      /* neither script nor data */
	bool embed;          /* tiny: twelve levels, neither script nor data */
	enum svg_theme theme;
	enum svg_colour colour;
	double min_width;    /* percent of the whole; narrower frames run together */
	uint32_t max_frames; /* of one document; the widest are kept */
};

/* What flamesvg(1) says: 1000 px, 0.05 %, 20,000 frames. */
extern const struct svg_opts svg_defaults;

/*
 * Draw. The documents stand in the order given and each shows meta.shown first; none is
 * fine. Fails when sums do not fit 64 bits.
 */
bool svg_render(const struct tree *docs, size_t n, const struct svg_opts *,
                struct sink *, struct err *);
/* Whether the sample type that a document shows first has no value at all. */
bool svg_empty(const struct tree *);

#endif
