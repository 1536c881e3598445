from crosslingua.provenance import code_version, process_cost


def test_provenance_is_filled_in() -> None:
    assert code_version().startswith("0.")
    seconds, peak_mb = process_cost()
    assert seconds > 0
    assert peak_mb > 5
