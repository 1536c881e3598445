# Input functions of rules/derived.smk.
def parent_of(task, wildcards):
    return TASKS[task]["sources"][wildcards.lang]["derived_from"]


def derivation(entry, words="whitespace"):
    """How a derived language is made of its parent; a word is spelled alike in its text and in all its tasks."""
    own = {name: entry[name] for name in ("overlap",) if name in entry}
    return options({"transform": entry["transform"], "words": words} | TASKS["derived"] | own)


def split_words(task, wildcards):
    """Sentences of pairs and questions are tokenised in the world, raw in published sets."""
    sources = TASKS[task]["sources"]
    tokenised = (
        task in catalogue.TAGGED or sources[catalogue.root(sources, wildcards.lang)]["from"] == "world"
    )
    return "whitespace" if tokenised else "punctuation"


def syntax_input(task, kind):
    """Input function: the word order, or the trees of the sentences, that a transformation of syntax needs."""

    def files(wildcards):
        entry = (LANGUAGES if task == "text" else TASKS[task]["sources"])[wildcards.lang]
        if "order_of" not in entry:
            return []
        if kind == "order":
            return [f"{CORPORA}/word_order/{entry['order_of']}.json"]
        split = "" if task == "text" else wildcards.split
        return [f"{CORPORA}/{catalogue.trees_path(task, entry['derived_from'], split)}"]

    return files


def syntax_options(input, lowercase=False):
    """The word order and the trees, in lower case where the text is; nothing without a transformation of syntax."""
    if not input.order:
        return ""
    return options({"order": input.order, "trees": input.trees, "lowercase_trees": lowercase})
