/* Any bytes as a recording. */
#include "jfrcheck.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	jfr_check(data, size);
	return 0;
}
