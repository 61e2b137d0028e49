//! Names of generated files: those of their models, where a file of that name does no harm.

/// What stands behind a name that means something else.
const END: &str = "_client";

/// The name of the file of a model in TypeScript.
pub(super) fn typescript(model: &str) -> String {
    format!("{}.ts", harmless(model, TYPESCRIPT))
}

/// The name of the file of a model in Python.
pub(super) fn python(model: &str) -> String {
    format!("{}.py", harmless(model, PYTHON))
}

/// The name of the file of a model in Rust, whose compiler takes ASCII only.
pub(super) fn rust(model: &str) -> String {
    let ascii = model.replace(|c: char| !c.is_ascii(), "_");
    format!("{}.rs", harmless(&ascii, RUST))
}

/// A name that would hide a module, that the language cannot import, or that no file has on Windows
/// gets `_client` behind it.
fn harmless(name: &str, reserved: &str) -> String {
    let is_bare = name.trim_start_matches('_').is_empty();
    // File systems may ignore capitals.
    let small = name.to_lowercase();
    let mut reserved = reserved.split_whitespace();
    let is_reserved = is_device(&small) || reserved.any(|word| word == small);
    let end = if is_bare || is_reserved { END } else { "" };
    format!("{name}{end}")
}

/// Whether a name is that of a device.
fn is_device(name: &str) -> bool {
    let number = name.strip_prefix("com").or(name.strip_prefix("lpt"));
    let is_port = number.is_some_and(|number| {
        number.len() == 1 && number.starts_with(|c: char| c.is_ascii_digit())
    });
    is_port || DEVICES.contains(&name)
}

/// Names of devices, which are files of every folder on Windows.
const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];

/// A file that stands for its folder.
const TYPESCRIPT: &str = "index";

/// Modules of the standard library and of what generated files need, files that tools look for, and
/// words of the language: a file beside a program hides a module of its name.
const PYTHON: &str = "\
    abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit \
    audioop base64 bdb binascii binhex bisect builtins bz2 calendar cgi cgitb chunk cmath cmd \
    code codecs codeop collections colorsys compileall compression concurrent configparser \
    contextlib contextvars copy copyreg cprofile crypt csv ctypes curses dataclasses datetime \
    dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler \
    fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt \
    getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr \
    imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging \
    lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt \
    multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os \
    ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib \
    posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat \
    queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select \
    selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd \
    sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct \
    subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile \
    termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback \
    tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv \
    warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile \
    zipimport zlib zoneinfo \
    aioboto3 aiobotocore boto3 botocore conftest keyfold mypy pip pydantic pydantic_core pytest ruff \
    setup setuptools sitecustomize typing_extensions usercustomize wheel \
    and as assert async await break class continue def del elif else except false finally for from \
    global if import in is lambda none nonlocal not or pass raise return true try while with yield";

/// Files that Cargo and the compiler look for, crates that generated files need, and words of the
/// language: a module hides a crate of its name.
const RUST: &str = "\
    build lib main mod \
    alloc core futures futures_core jiff keyfold keyfold_build proc_macro serde serde_json std test \
    abstract as async await become box break const continue crate do dyn else enum extern false final \
    fn for gen if impl in let loop macro match move mut override priv pub ref return self static struct \
    super trait true try type typeof unsafe unsized use virtual where while yield";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_of_their_models() {
        for name in ["shop", "shop_teams", "myShop", "type_2", "com10", "console"] {
            assert_eq!(typescript(name), format!("{name}.ts"));
            assert_eq!(python(name), format!("{name}.py"));
            assert_eq!(rust(name), format!("{name}.rs"));
        }
    }

    #[test]
    fn a_name_that_means_something_else_gets_more_behind_it() {
        for (name, names) in [
            ("types", ["types.ts", "types_client.py", "types.rs"]),
            ("json", ["json.ts", "json_client.py", "json.rs"]),
            (
                "keyfold",
                ["keyfold.ts", "keyfold_client.py", "keyfold_client.rs"],
            ),
            ("class", ["class.ts", "class_client.py", "class.rs"]),
            ("mod", ["mod.ts", "mod.py", "mod_client.rs"]),
            ("lib", ["lib.ts", "lib.py", "lib_client.rs"]),
            ("Main", ["Main.ts", "Main.py", "Main_client.rs"]),
            ("index", ["index_client.ts", "index.py", "index.rs"]),
            ("con", ["con_client.ts", "con_client.py", "con_client.rs"]),
            (
                "LPT1",
                ["LPT1_client.ts", "LPT1_client.py", "LPT1_client.rs"],
            ),
            (
                "gr\u{f6}\u{df}e",
                ["gr\u{f6}\u{df}e.ts", "gr\u{f6}\u{df}e.py", "gr__e.rs"],
            ),
            ("\u{e4}", ["\u{e4}.ts", "\u{e4}.py", "__client.rs"]),
            ("_", ["__client.ts", "__client.py", "__client.rs"]),
        ] {
            assert_eq!(
                [typescript(name), python(name), rust(name)],
                names,
                "{name}"
            );
        }
    }
}
