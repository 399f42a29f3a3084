/* The pull reader goes over anything; what it takes, the writer writes back equal. */
#include "fuzz.h"

#include "bytes/json.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size };
	struct json_scan scan = { 0 };
	struct json_in j = { .c = cur_of(bytes) };
	struct buf out = { 0 };
	struct sink *sink = sink_buf(&out);
	struct json_out w = { .sink = sink };
	enum json_tok t;
	struct err e = { 0 };

	do {
		t = json_next(&j, &e);
		switch (t) {
		case TOK_OBJ:
			json_obj(&w);
			break;
		case TOK_OBJ_END:
			json_obj_end(&w);
			break;
		case TOK_ARR:
			json_arr(&w);
			break;
		case TOK_ARR_END:
			json_arr_end(&w);
			break;
		case TOK_KEY:
			json_key_str(&w, j.str);
			break;
		case TOK_STR:
			json_str(&w, j.str);
			break;
		case TOK_INT:
			json_int(&w, j.i);
			break;
		case TOK_NUM:
			json_num(&w, j.num);
			break;
		case TOK_BOOL:
			json_bool(&w, j.i != 0);
			break;
		case TOK_NULL:
		case TOK_BAD:
		case TOK_EOF:
			break;
		}
	} while (t != TOK_BAD && t != TOK_EOF);
	MUST(sink_close(sink, &e));
	if (t == TOK_EOF && size && (data[0] == '{' || data[0] == '['))
		MUST(json_extent(&scan, bytes) > 0);
	json_in_clear(&j);
	buf_clear(&out);
	return 0;
}
