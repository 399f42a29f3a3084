/*
 * The palettes: every colour is a CSS variable with a light and a dark value, chosen in
 * OKLCH and reduced to sRGB. Names n<hue><shade>, k-<kind>[-a|-b], p<hue>, d<step>.
 */
#include "render/svg_parts.h"

static const struct {
	const char *name, *light, *dark;
} colours[] = {
	/* paper, text and states */
	{ "paper", "#fbfaf7", "#14100e" },
	{ "panel", "#f6f3ef", "#1e1a17" },
	{ "line", "#dcd8d3", "#36302d" },
	{ "edge", "#8c857d", "#867f78" },
	{ "ink", "#221d18", "#f0ece7" },
	{ "mute", "#5d554e", "#b2aba3" },
	{ "accent", "#3057a3", "#94b8f8" },
	{ "find", "#7d37bd", "#d6a7fa" },
	{ "findink", "#fdfdfd", "#18101e" },
	{ "dim", "#e9e7e5", "#272422" },
	{ "dimink", "#5c5751", "#a39d98" },
	{ "small", "#d8d5d1", "#393634" },
	{ "more", "#fa8440", "#a34409" },
	{ "less", "#67b0ed", "#1f659f" },
	{ "same", "#e4e3e0", "#3e3b39" },
	{ "root", "#dfdad2", "#3a342f" },
	{ "fink", "#221d18", "#1b130d" },
	/* by name: six hues of package, four shades of function */
	{ "n00", "#fc9c7f", "#d87e63" },
	{ "n01", "#ffad93", "#e18b70" },
	{ "n02", "#febeaa", "#e9987f" },
	{ "n03", "#ffcebf", "#f0a58e" },
	{ "n10", "#f8a16f", "#d48354" },
	{ "n11", "#ffae81", "#dd8f63" },
	{ "n12", "#febf9d", "#e59c72" },
	{ "n13", "#fecfb6", "#eda983" },
	{ "n20", "#f1a663", "#ce8747" },
	{ "n21", "#f9b377", "#d79358" },
	{ "n22", "#ffc18d", "#e0a068" },
	{ "n23", "#fed1ac", "#e7ad7b" },
	{ "n30", "#e9ac5a", "#c78d3d" },
	{ "n31", "#f1b86f", "#d0994f" },
	{ "n32", "#f9c583", "#d9a461" },
	{ "n33", "#fed29c", "#e1b175" },
	{ "n40", "#deb255", "#bc9337" },
	{ "n41", "#e6be6b", "#c69e4b" },
	{ "n42", "#efca80", "#cfaa5d" },
	{ "n43", "#f5d79a", "#d7b672" },
	{ "n50", "#ceba56", "#ad9a39" },
	{ "n51", "#d7c56c", "#b7a54c" },
	{ "n52", "#e1d081", "#c1b05e" },
	{ "n53", "#e9dc9b", "#cbbc73" },
	/* by kind and class: three shades, so that stacks do not become slabs */
	{ "k-managed", "#f7bf7d", "#dea765" },
	{ "k-managed-a", "#efb876", "#d6a05f" },
	{ "k-managed-b", "#fec684", "#e5ae6c" },
	{ "k-jit", "#f7bf7d", "#dea765" },
	{ "k-jit-a", "#efb876", "#d6a05f" },
	{ "k-jit-b", "#fec684", "#e5ae6c" },
	{ "k-c1", "#f3cd80", "#dab568" },
	{ "k-c1-a", "#ecc679", "#d3ae61" },
	{ "k-c1-b", "#fbd487", "#e2bc6f" },
	{ "k-interpreted", "#eddc89", "#d4c371" },
	{ "k-interpreted-a", "#e6d582", "#cdbc6a" },
	{ "k-interpreted-b", "#f4e390", "#dccb78" },
	{ "k-inlined", "#feca9e", "#efae75" },
	{ "k-inlined-a", "#ffc089", "#e7a76f" },
	{ "k-inlined-b", "#fed4b0", "#f6b57c" },
	{ "k-cxx", "#e495ba", "#cb7ea3" },
	{ "k-cxx-a", "#dc8eb3", "#c3789c" },
	{ "k-cxx-b", "#eb9cc1", "#d285aa" },
	{ "k-native", "#bba2ea", "#a48bd1" },
	{ "k-native-a", "#b49be3", "#9d84ca" },
	{ "k-native-b", "#c2a9f2", "#ab91d9" },
	{ "k-kernel", "#93d3fe", "#6ebcee" },
	{ "k-kernel-a", "#81cdff", "#67b5e6" },
	{ "k-kernel-b", "#a2daff", "#75c3f5" },
	{ "k-type", "#72b781", "#5ba06b" },
	{ "k-type-a", "#6cb07b", "#559965" },
	{ "k-type-b", "#79be88", "#62a672" },
	{ "k-label", "#dcd8d3", "#c4c0bb" },
	{ "k-label-a", "#d5d1cc", "#bdb9b4" },
	{ "k-label-b", "#e3e0db", "#cbc7c2" },
	{ "k-none", "#dcd8d3", "#c4c0bb" },
	{ "k-none-a", "#d5d1cc", "#bdb9b4" },
	{ "k-none-b", "#e3e0db", "#cbc7c2" },
	/* by package */
	{ "p0", "#f8aa9d", "#d3887b" },
	{ "p1", "#ffc597", "#dca171" },
	{ "p2", "#d9bf78", "#b59c55" },
	{ "p3", "#c8dd97", "#a5b974" },
	{ "p4", "#8ed4a6", "#6cb084" },
	{ "p5", "#83e7e0", "#5ec3bd" },
	{ "p6", "#76cfed", "#52acc9" },
	{ "p7", "#b1d7ff", "#81b4ea" },
	{ "p8", "#b4bbfe", "#9398d9" },
	{ "p9", "#e5c3ff", "#c29fdd" },
	{ "p10", "#eba9d4", "#c687b1" },
	{ "p11", "#febfcc", "#e396a7" },
	/* differential, from less to more */
	{ "d0", "#67b0ed", "#1f659f" },
	{ "d1", "#89bdeb", "#2d5b85" },
	{ "d2", "#a8cae8", "#36516b" },
	{ "d3", "#c0d4e5", "#3a4857" },
	{ "d4", "#e4e3e0", "#3e3b39" },
	{ "d5", "#eec8b4", "#5d4033" },
	{ "d6", "#f3b696", "#71422d" },
	{ "d7", "#f89e6e", "#8a4421" },
	{ "d8", "#fa8440", "#a34409" },
};

#define NCOLOURS (sizeof colours / sizeof *colours)

uint32_t
svg_hash(struct str s)
{
	uint32_t h = 0x811c9dc5;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x01000193U;
	return h;
}

void
svg_variables(struct buf *out, bool dark)
{
	for (size_t i = 0; i < NCOLOURS; i++) {
		buf_str(out, STR("--"));
		buf_str(out, str_of(colours[i].name));
		buf_char(out, ':');
		buf_str(out, str_of(dark ? colours[i].dark : colours[i].light));
		buf_char(out, ';');
	}
}

void
svg_fills(struct buf *out)
{
	for (size_t i = 0; i < NCOLOURS; i++) {
		const char *n = colours[i].name;

		if ((n[1] >= '0' && n[1] <= '9') || n[1] == '-')
			buf_printf(out, ".fg .%s{fill:var(--%s)}", n, n);
	}
}

void
svg_fill_name(struct buf *out, struct str name, struct str package)
{
	buf_printf(out, "n%u%u", (unsigned)(svg_hash(package.n ? package : name) % 6),
	           (unsigned)(svg_hash(name) % 4));
}

const char *
svg_kind(enum frame_class class, enum frame_kind kind)
{
	if (kind != KIND_NONE)
		return frame_kind_name[kind];
	return class != CLASS_NONE ? frame_class_name[class] : "none";
}

void
svg_fill_kind(struct buf *out, struct str name, enum frame_class class,
              enum frame_kind kind)
{
	static const char *const shade[] = { "", "-a", "-b" };

	buf_printf(out, "k-%s%s", svg_kind(class, kind), shade[svg_hash(name) % 3]);
}

void
svg_fill_package(struct buf *out, struct str package)
{
	if (package.n)
		buf_printf(out, "p%u", (unsigned)(svg_hash(package) % 12));
	else
		buf_str(out, STR("k-none"));
}
