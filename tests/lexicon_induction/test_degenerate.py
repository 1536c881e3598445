from crosslingua.lexicon_induction.degenerate import is_degenerate, is_marked, mark_degenerate


def test_the_report_of_a_mapping_says_whether_it_failed() -> None:
    assert is_degenerate({"name": "muse", "mapper": {"degenerate": True}})
    assert not is_degenerate({"name": "muse", "mapper": {"degenerate": False}})
    assert not is_degenerate({"name": "procrustes", "mapper": {"pairs": 3}})


def test_a_mark_stands_in_every_signature_and_changes_no_number() -> None:
    scores = [{"signature": "csls|oov=muse", "p_at_1": 29.2}, {"signature": "nn|oov=muse", "p_at_1": 3.0}]
    marked = mark_degenerate(scores)
    assert marked == [one | {"signature": f"{one['signature']}|map=degenerate"} for one in scores]
    assert all(is_marked(one["signature"]) for one in marked)
    assert not any(is_marked(one["signature"]) for one in scores)
