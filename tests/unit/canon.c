#include "analysis/canon.h"

#include "tap.h"

struct row {
	const char *name, *want;
	enum frame_class class;
};

static const struct row rows[] = {
	/* Plain names, and what only looks like something to fold. */
	{ "", "", CLASS_NONE },
	{ "main", "main", CLASS_NONE },
	{ "java.lang.Thread.run", "java.lang.Thread.run", CLASS_MANAGED },
	{ "com.example.Loader$Task.lambda$main$0",
	  "com.example.Loader$Task.lambda$main$0", CLASS_MANAGED },
	{ "main.(*Server).Serve.func1.2", "main.(*Server).Serve.func1.2",
	  CLASS_MANAGED },
	{ "github.com/a/b/v2.Run", "github.com/a/b/v2.Run", CLASS_NONE },
	{ "GET /users/123", "GET /users/123", CLASS_NONE },
	{ "operator+", "operator+", CLASS_CXX },
	{ "a + b", "a + b", CLASS_NONE },
	{ "line 42", "line 42", CLASS_NONE },
	{ "v1.2.3", "v1.2.3", CLASS_NONE },
	{ "0x", "0x", CLASS_NONE },
	{ "0xyz", "0xyz", CLASS_NONE },
	{ "f0x12", "f0x12", CLASS_NONE },
	{ "+0x1f", "+0x_", CLASS_NONE },

	/* Lambdas: JDK 8 to 14, 15 to 20, 21 and later; JVMTI's forms of the same. */
	{ "Example$$Lambda$5/575335780.run", "Example$$Lambda.run", CLASS_MANAGED },
	{ "p.Owner$$Lambda$93+0x00007f2d3c0145b8/370440646.run", "p.Owner$$Lambda.run",
	  CLASS_MANAGED },
	{ "p.Owner$$Lambda+0x00007fb87c41b6a0/1963774829.run", "p.Owner$$Lambda.run",
	  CLASS_MANAGED },
	{ "LoadGen$$Lambda$1.0x00007f69c0001800.apply", "LoadGen$$Lambda.apply",
	  CLASS_MANAGED },
	{ "X$$Lambda.0x00007f69c0001800.apply", "X$$Lambda.apply", CLASS_NONE },
	{ "X$$Lambda/0x0000000800c03000.apply", "X$$Lambda.apply", CLASS_NONE },
	{ "X$$Lambda$14/0x0000000800c03000.apply", "X$$Lambda.apply", CLASS_NONE },
	{ "X$$Lambda$14/123456.apply", "X$$Lambda.apply", CLASS_NONE },
	{ "X$$Lambda$14/123", "X$$Lambda", CLASS_NONE },
	{ "X$$Lambda$14.123.apply", "X$$Lambda.apply", CLASS_NONE },
	{ "X$$Lambda14.apply", "X$$Lambda.apply", CLASS_NONE },
	{ "X$$Lambda.apply", "X$$Lambda.apply", CLASS_NONE },
	{ "X$$Lambda$14", "X$$Lambda", CLASS_NONE },
	{ "X$$LambdaFactory.make", "X$$LambdaFactory.make", CLASS_NONE },
	{ "X$$Lambda$14a.run", "X$$Lambda$14a.run", CLASS_NONE },
	{ "A$$Lambda$1/2.x B$$Lambda$3/4.y", "A$$Lambda.x B$$Lambda.y", CLASS_NONE },

	/* Method handles. */
	{ "java.lang.invoke.LambdaForm$MH+0x00007f2d3c001000/1234.invoke",
	  "java.lang.invoke.LambdaForm$MH.invoke", CLASS_MANAGED },
	{ "java.lang.invoke.LambdaForm$DMH+0x00007f2d3c001000.invokeStatic",
	  "java.lang.invoke.LambdaForm$DMH.invokeStatic", CLASS_MANAGED },
	{ "java.lang.invoke.LambdaForm$MH/0x0000000800c03000.linkToTargetMethod",
	  "java.lang.invoke.LambdaForm$MH.linkToTargetMethod", CLASS_MANAGED },
	{ "java.lang.invoke.LambdaForm$BMH/1467237.reinvoke",
	  "java.lang.invoke.LambdaForm$BMH.reinvoke", CLASS_MANAGED },
	{ "java.lang.invoke.LambdaForm$Name.create",
	  "java.lang.invoke.LambdaForm$Name.create", CLASS_MANAGED },

	/* Other hidden classes. */
	{ "p.Fast+0x00007f2d3c0145b8/370440646.call", "p.Fast.call", CLASS_MANAGED },
	{ "p.Fast/0x00007f2d3c0145b8.call", "p.Fast.call", CLASS_MANAGED },
	{ "p.Fast.0x00007f2d3c0145b8.call", "p.Fast.call", CLASS_MANAGED },
	{ "p.Fast.0x7f.call", "p.Fast.0x_.call", CLASS_MANAGED },

	/* Accessors and proxies. */
	{ "jdk.internal.reflect.GeneratedMethodAccessor12.invoke",
	  "jdk.internal.reflect.GeneratedMethodAccessor.invoke", CLASS_MANAGED },
	{ "sun/reflect/GeneratedConstructorAccessor3.newInstance",
	  "sun/reflect/GeneratedConstructorAccessor.newInstance", CLASS_MANAGED },
	{ "jdk.internal.reflect.GeneratedSerializationConstructorAccessor7.newInstance",
	  "jdk.internal.reflect.GeneratedSerializationConstructorAccessor.newInstance",
	  CLASS_MANAGED },
	{ "GeneratedMethodAccessor12x.invoke", "GeneratedMethodAccessor12x.invoke",
	  CLASS_MANAGED },
	{ "com.sun.proxy.$Proxy12.call", "com.sun.proxy.$Proxy.call", CLASS_MANAGED },
	{ "jdk.proxy2.$Proxy31.call", "jdk.proxy.$Proxy.call", CLASS_MANAGED },
	{ "jdk/proxy2/$Proxy31.call", "jdk/proxy/$Proxy.call", CLASS_MANAGED },
	{ "jdk.proxy2.Other.call", "jdk.proxy2.Other.call", CLASS_MANAGED },
	{ "Shop$$EnhancerBySpringCGLIB$$1a2b3c4d.buy",
	  "Shop$$EnhancerBySpringCGLIB.buy", CLASS_MANAGED },
	{ "Shop$$FastClassByCGLIB$$ffaa01.invoke", "Shop$$FastClassByCGLIB.invoke",
	  CLASS_MANAGED },
	{ "Shop$$SpringCGLIB$$0.buy", "Shop$$SpringCGLIB.buy", CLASS_MANAGED },
	{ "Shop.CGLIB$buy$0", "Shop.CGLIB$buy$0", CLASS_MANAGED },
	{ "Shop$$EnhancerBySpringCGLIB$$Proxy.buy",
	  "Shop$$EnhancerBySpringCGLIB$$Proxy.buy", CLASS_MANAGED },

	/* Rust. */
	{ "core::fmt::write::h0123456789abcdef", "core::fmt::write", CLASS_NATIVE },
	{ "core::fmt::write::h0123456789abcdef.llvm.1234567890", "core::fmt::write",
	  CLASS_NATIVE },
	{ "core::fmt::write::h0123456789abcde", "core::fmt::write::h0123456789abcde",
	  CLASS_NATIVE },
	{ "core::fmt::write::h0123456789abcdef0",
	  "core::fmt::write::h0123456789abcdef0", CLASS_NATIVE },
	{ "core::fmt::write::h0123456789abcdeg", "core::fmt::write::h0123456789abcdeg",
	  CLASS_NATIVE },
	{ "_ZN4core3fmt5write17h0123456789abcdefE", "_ZN4core3fmt5writeE",
	  CLASS_NATIVE },
	{ "x17h0123456789abcdefE", "x17h0123456789abcdefE", CLASS_NATIVE },

	/* Compilers and linkers. */
	{ "foo.isra.0", "foo", CLASS_NONE },
	{ "foo.constprop.1", "foo", CLASS_NATIVE },
	{ "foo.part.2", "foo", CLASS_KERNEL },
	{ "foo.cold", "foo", CLASS_NATIVE },
	{ "foo.cold.12", "foo", CLASS_NATIVE },
	{ "foo.lto_priv.0", "foo", CLASS_NATIVE },
	{ "foo.isra.0.constprop.1.part.2.cold", "foo", CLASS_NONE },
	{ "foo.isra.0+0x1f", "foo", CLASS_NONE },
	{ "malloc@plt", "malloc", CLASS_NATIVE },
	{ "foo(int) [clone .isra.0]", "foo(int)", CLASS_CXX },
	{ "foo(int) [clone .isra.0] [clone .cold]", "foo(int)", CLASS_CXX },
	{ "int[4]", "int[4]", CLASS_CXX },
	{ "foo.isra", "foo.isra", CLASS_NATIVE },
	{ "foo.0", "foo.0", CLASS_NATIVE },
	{ ".isra.0", ".isra.0", CLASS_NATIVE },
	{ ".cold", ".cold", CLASS_NATIVE },
	{ "@plt", "@plt", CLASS_NATIVE },
	{ "com.example.Cache.cold", "com.example.Cache.cold", CLASS_NONE },
	{ "Cache.cold", "Cache.cold", CLASS_MANAGED },
	{ "a.b.cold", "a.b", CLASS_NATIVE },
	{ "p.Part.part.2", "p.Part.part.2", CLASS_MANAGED },

	/* Offsets and addresses. */
	{ "do_syscall_64+0x5c", "do_syscall_64", CLASS_KERNEL },
	{ "do_syscall_64+0x5c/0xc0", "do_syscall_64", CLASS_KERNEL },
	{ "[libfoo.so+0x1f40]", "[libfoo.so]", CLASS_NONE },
	{ "0x7f12ab34", "0x_", CLASS_NONE },
	{ "0x1", "0x_", CLASS_NONE },
	{ "[0x00007F12]", "[0x_]", CLASS_NONE },
	{ "libfoo.so 0x7f12 0x99", "libfoo.so 0x_ 0x_", CLASS_NONE },
	{ "0x7f12g", "0x7f12g", CLASS_NONE },
	{ "caf\xc3\xa9+0x1f", "caf\xc3\xa9", CLASS_NONE },
	{ "0x12\xc3\xa9", "0x12\xc3\xa9", CLASS_NONE },
};

int
main(void)
{
	struct buf scratch = { 0 }, again = { 0 };
	char title[300];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *r = &rows[i];
		struct str name = str_of(r->name);
		struct str got = names_canon(name, r->class, &scratch);

		snprintf(title, sizeof title, "%s -> %s, got %.*s", r->name, r->want,
		         (int)got.n, got.p);
		ok_named(str_eq(got, str_of(r->want)), title);
		/* What needs nothing is not copied; what was folded stays as it is. */
		if (strcmp(r->name, r->want) == 0)
			ok_named(got.p == name.p && got.n == name.n, r->name);
		ok_named(str_eq(names_canon(got, r->class, &again), got), r->want);
	}
	/* Views need no terminator. */
	ok(str_eq(names_canon((struct str){ "0x123", 2 }, CLASS_NONE, &scratch),
	          STR("0x")));
	ok(str_eq(names_canon((struct str){ "0x123", 4 }, CLASS_NONE, &scratch),
	          STR("0x_")));
	ok(str_eq(names_canon(STR("a\0+0x1"), CLASS_NONE, &scratch), STR("a\0")));
	buf_clear(&scratch);
	buf_clear(&again);
	return done();
}
