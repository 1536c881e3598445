# Names and input functions of rules/corpora.smk.
CORPORA = f"{RESULTS}/corpora"


DATA = config["data"]["folder"]


LANGUAGES = config["languages"]


DICTIONARIES = config["dictionaries"]


PAIR = "{source}-{target}.{dictionary}"


def either(names):
    """A wildcard constraint: one of `names`; nothing matches where there are none."""
    return "|".join(names) or "(?!)"


CASED = "(_cased)?"  # a constraint of the wildcard {cased}: text as configured, or with its case


def text_settings(wildcards):
    """How text is normalised: as configured, but for the case where it is kept."""
    return config["text"] | ({"lowercase": False} if wildcards.cased else {})


def raw_text(language):
    """The files that a language's text is made of."""
    entry = LANGUAGES[language]
    if entry["from"] == "world":
        return [f"{CORPORA}/world/{language}.txt"]
    if entry["from"] == "file":
        return [entry["path"]]
    return [f"{DATA}/{entry['from']}/{file}" for file in entry["files"]]


def text_source(language):
    """How a language's text is to be read: its format, and a tokeniser if not the language's usual one."""
    entry = LANGUAGES[language]
    if entry["from"] == "world":
        return {"tokeniser": "none"}
    own = entry["from"] == "file"
    text_format = "lines" if own else DATASETS[entry["from"]].format
    if text_format == "parallel_lines":  # one side of bitext is text
        text_format = "lines"
    return {
        "format": text_format,
        "split_sentences": bool(not own and DATASETS[entry["from"]].paragraphs),
        "member": entry.get("member"),
        "tokeniser": entry.get("tokeniser"),
    }


def text_members(language):
    """The reader that a language's text needs; tokenisers are all of one module."""
    return [TEXT_READERS.module(text_source(language).get("format", "lines"))]


def dictionary_file(dictionary, split, source, target):
    """The file that a split of a dictionary is read from."""
    entry = DICTIONARIES[dictionary]
    name = entry[split].format(source=source, target=target)
    return name if entry["from"] == "file" else f"{DATA}/{entry['from']}/{name}"


def dictionary_format(dictionary):
    entry = DICTIONARIES[dictionary]
    return "muse" if entry["from"] == "file" else DATASETS[entry["from"]].format


def needed_files():
    """Every file that the configured pairs read, generated or not."""
    for pair in config["joint_align"]["pairs"]:
        for language in (pair["source"], pair["target"]):
            yield from raw_text(catalogue.root(LANGUAGES, language))
        if DICTIONARIES[pair["dictionary"]]["from"] != "world":
            for split in ("train", "test"):
                yield dictionary_file(pair["dictionary"], split, pair["source"], pair["target"])


FETCHED = sorted({path for path in needed_files() if path.startswith(f"{DATA}/")})
