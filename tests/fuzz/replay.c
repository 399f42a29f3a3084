/* A plain main for fuzz targets: replay the files and folders given. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static int count;

static void
replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *p;
	size_t n;

	if (!f || fstat(fileno(f), &st) < 0) {
		perror(path);
		exit(1);
	}
	p = malloc((size_t)st.st_size + 1);
	n = p ? fread(p, 1, (size_t)st.st_size, f) : 0;
	fclose(f);
	LLVMFuzzerTestOneInput(p, n);
	free(p);
	count++;
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct dirent **entry;
		int n = scandir(argv[i], &entry, NULL, alphasort);
		char path[4096];

		if (n < 0) {
			replay_file(argv[i]);
			continue;
		}
		for (int k = 0; k < n; k++) {
			snprintf(path, sizeof path, "%s/%s", argv[i], entry[k]->d_name);
			if (entry[k]->d_name[0] != '.')
				replay_file(path);
			free(entry[k]);
		}
		free(entry);
	}
	printf("%d inputs\n", count);
	return count ? 0 : 1;
}
