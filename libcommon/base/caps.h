/*
 * Every limit on what an input may claim, with its default. Programs have options for
 * those that a user can need to raise.
 */
#ifndef CAPS_H
#define CAPS_H

#include <stddef.h>
#include <stdint.h>

/* One record of a tree stream (--max-record). */
#define CAP_RECORD ((uint64_t)1 << 30)
/* Distinct groups held until the end (--max-groups). */
#define CAP_GROUPS 10000U
/* Frames of one stack after inlined calls are expanded. */
#define CAP_DEPTH ((size_t)1 << 21)
/* Inlined calls at one place in the code. */
#define CAP_INLINES 1024U
/* Distinct frames of all inputs of one program. */
#define CAP_FRAMES ((uint32_t)1 << 29)
/* Nodes of one tree. */
#define CAP_NODES ((size_t)UINT32_MAX - 16)
/* Sample types of one document. */
#define CAP_TYPES 256U
/* Labels of one sample or document. */
#define CAP_LABELS 1024U
/* A regular expression that an input carries: bytes, groups open at once, * + and ?. */
#define CAP_PATTERN ((size_t)4096)
#define CAP_PATTERN_DEPTH 8U
#define CAP_PATTERN_OPERATORS 64U
/* Open containers in JSON; the tree stream needs six. */
#define CAP_JSON_DEPTH 4096U

#endif
