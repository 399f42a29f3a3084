/*
 * Included before every file by the build: functions that hide a length, a failure
 * or a shared buffer do not compile.
 */
#ifndef BANNED_H
#define BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Some headers have macros of these names. */
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef strtok
#undef sprintf
#undef vsprintf
#pragma GCC poison strcpy strcat strncpy strncat strtok sprintf vsprintf gets
#pragma GCC poison atoi atol gmtime localtime

#endif
