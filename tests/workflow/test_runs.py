"""Which encoders a configuration asks for."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from crosslingua.corpora.datasets.registry import load_registry
from crosslingua.encoders.runs import (
    align_mlm_runs,
    cells_of,
    check_encoders,
    is_on_hub,
    main_cells,
    multilingual_runs,
    tokenisers,
)
from crosslingua.encoders.settings import divided, from_mapping, objective_settings
from crosslingua.errors import ConfigError


@pytest.fixture
def config(repository: Path) -> dict:
    return yaml.safe_load((repository / "config.yaml").read_text())


def test_table_3_is_every_system_on_every_transformation(config: dict) -> None:
    cells = {(cell.system, cell.transformation) for cell in main_cells(config["align_mlm"])}
    assert cells == {
        (system, transformation)
        for system in ("mlm", "xlm", "dict_mlm", "align_mlm")
        for transformation in ("trans", "trans_inv", "trans_syn")
    }


def test_the_ablations_change_what_the_papers_tables_change(config: dict) -> None:
    # Tables 1, 2 and 5, 7; 25 % of parallel data, 25 % of the dictionary and no overlap are those of table 3.
    assert sorted(cell.encoder for cell in cells_of(config) if cell.changed) == [
        "align_mlm_dictionary_50.trans_inv",
        "align_mlm_dictionary_50.trans_syn",
        "dict_mlm_dictionary_50.trans_inv",
        "dict_mlm_dictionary_50.trans_syn",
        "xlm_overlap_25.trans_inv",
        "xlm_overlap_50.trans_inv",
        "xlm_parallel_1.trans_inv",
        "xlm_parallel_10.trans_inv",
        "xlm_parallel_100.trans_inv",
    ]
    runs = align_mlm_runs(config)
    assert runs["xlm_parallel_1.trans_inv"].settings["parallel_share"] == 0.01
    assert runs["align_mlm_dictionary_50.trans_syn"].settings["dictionary_share"] == 0.5
    assert runs["xlm_overlap_25.trans_inv"].languages == ("ana", "ana_trans_inv_25")
    assert tokenisers(config)[runs["xlm_overlap_25.trans_inv"].tokeniser].options["overlap"] == 0.25


@pytest.mark.parametrize("scale", ["", "tiny", "small", "paper"])
def test_the_settings_of_every_scale_are_legal(repository: Path, config: dict, scale: str) -> None:
    if scale:
        update_config(config, yaml.safe_load((repository / "scales" / f"{scale}.yaml").read_text()))
    runs = align_mlm_runs(config) | multilingual_runs(config)
    assert runs
    for run in runs.values():
        ours, own = divided(run.settings)
        made = from_mapping(ours)
        assert list(objective_settings(run.objective, own)) == list(run.objective)
        assert made.warmup < made.steps


def test_a_run_reads_what_its_objective_needs(config: dict) -> None:
    runs = align_mlm_runs(config) | multilingual_runs(config)
    assert runs["mlm.trans"].bitext == ()
    assert runs["xlm.trans"].bitext == ("ana-ana_trans",)
    assert {name for name, run in runs.items() if run.dictionary} == {
        name for name in runs if name.startswith(("dict_mlm", "align_mlm"))
    }
    assert runs["xlm_align"].init == "xlmr"
    assert runs["xlmr"].bitext == ()
    assert runs["no_tlm"].bitext == ("ana-ber", "ana-cor", "ana-dax")


def test_derived_languages_with_one_script_and_overlap_share_a_tokeniser(config: dict) -> None:
    runs = align_mlm_runs(config)
    assert runs["mlm.trans"].tokeniser == runs["align_mlm.trans_inv"].tokeniser
    assert len({run.tokeniser for run in runs.values()}) == 3


def test_settings_of_the_member_win_and_null_is_none(config: dict) -> None:
    config["encoders"]["settings"] = None
    config["align_mlm"]["settings"] = {"steps": 7, "lr": 0.5}
    config["align_mlm"]["systems"]["mlm"]["settings"] = {"steps": 9}
    assert align_mlm_runs(config)["mlm.trans"].settings == {"steps": 9, "lr": 0.5}


def test_null_takes_a_member_out(config: dict) -> None:
    config["align_mlm"]["systems"]["mlm"] = None
    config["align_mlm"]["ablations"]["parallel"] = None
    config["encoders"]["multilingual"]["members"]["mbert"] = None
    runs = align_mlm_runs(config) | multilingual_runs(config)
    assert not [name for name in runs if name.startswith("mlm.") or "parallel" in name or name == "mbert"]


def test_what_goes_on_from_a_published_encoder_takes_its_tokeniser(config: dict) -> None:
    members = config["encoders"]["multilingual"]["members"]
    members["xlmr"] |= {"pretrained": "FacebookAI/xlm-roberta-base"}
    members["twice"] = {"objective": ["mlm"], "init": "xlm_align"}
    runs = multilingual_runs(config)
    assert "xlmr" not in runs
    assert (runs["xlm_align"].tokeniser, runs["twice"].tokeniser) == ("", "")
    assert runs["mbert"].tokeniser == "multilingual"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("FacebookAI/xlm-roberta-base", True),
        ("./models/mine", False),
        ("/models/mine", False),
        ("mine", False),
    ],
)
def test_a_path_is_told_from_a_name_of_the_hub(name: str, expected: bool) -> None:
    assert is_on_hub({"pretrained": name}) is expected


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("encoders", "multilingual", "languages"), ["xyz"], "encoders.multilingual.languages: 'xyz'"),
        (("encoders", "multilingual", "bitext"), ["ana-xyz"], "encoders.multilingual.bitext: 'ana-xyz'"),
        (("encoders", "multilingual", "bitext"), ["ana-eno"], "bitext: ana-eno: 'eno' is not defined under"),
        (("encoders", "multilingual", "members", "xlmr", "init"), "nothing", "members.xlmr.init: 'nothing'"),
        (("encoders", "multilingual", "members", "xlmr", "init"), "xlm_align", "xlmr starts from xlm_align"),
        (("align_mlm", "natural"), "ber", "'ana_trans' is not derived from 'ber'"),
        (("align_mlm", "transformations", "trans"), "ber", "'ber' is not derived from 'ana'"),
        (("align_mlm", "systems", "xlm"), None, "align_mlm.ablations.parallel.system: 'xlm'"),
    ],
)
def test_what_is_not_there_is_named(config: dict, path: tuple[str, ...], value: object, message: str) -> None:
    broken = copy.deepcopy(config)
    section = broken
    for key in path[:-1]:
        section = section[key]
    section[path[-1]] = value
    with pytest.raises(ConfigError, match=message.replace("(", r"\(")):
        check_encoders(broken, load_registry())
