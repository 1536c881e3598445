"""What a paper's section may not say: the error names the key, then what is known or wrong."""

import pytest

from configurations import Opener


@pytest.mark.parametrize(
    ("scale", "key", "value", "message"),
    [
        ("", "pairs", [], r"no pair is given, .*name one, as \[source-target\]"),
        ("", "joint_align.figure1.pair", "ana-ber.muse", "'ana-ber.muse' is not defined .*ana-ber.world"),
        ("", "joint_align.figure1.refined_by", "joint", "'joint' is not .* that have a mapper"),
        ("", "joint_align.figure1.refined_by", "procrute", "'procrute' is not .*did you mean 'procrustes'"),
        ("", "joint_align.systems.rcsls.mapper", "rcsl", "'rcsl' is not .*did you mean 'rcsls'"),
        ("", "joint_align.table3.vectors", {"align": "procrute"}, ".*did you mean 'procrustes'"),
        ("", "joint_align.table3.vectors", {"align": "procrustes", "align_frozen": "joint"},
         "align_frozen is the name of the frozen vectors of align"),
        ("", "joint_align.table3.vectors", {"majority": "procrustes"},
         "majority is the name of a control: give the system another"),
        ("", "joint_align.table3.vectors", {"target_language": "joint"}, "target_language is the name of a control"),
        ("", "joint_align.table3.features", "bert", "'bert' is not defined under encoders.multilingual.members"),
        ("", "joint_align.table3", {"fine_tuned": {"xlm_finetune": "mbert"}}, ".*mbert under two names"),
        ("", "xlm_align.gold", ["ana-xyz"], "'ana-xyz' is not defined under gold alignments"),
        ("", "xlm_align.figure2", "simalign", "'simalign' is not defined .*did you mean"),
        ("", "xlm_align.figure2", "fast_align", "'fast_align' .* the aligners that read vectors"),
        ("", "xlm_align.vectors", ["procruste"], "'procruste' is not defined under joint_align.systems"),
        ("", "xlm_align.encoders", {"roberta": {"layer": 1, "layers": []}},
         "'roberta' is not defined under encoders.multilingual.members"),
        ("", "xlm_align.training.ana-ber", ["ana-cor"], "'ana-cor' has other languages"),
        ("", "xlm_align.training.ana-ber", ["nowhere-at"], "'nowhere-at' is not defined under bitext"),
        ("", "xlm_align.xtreme.tasks.pos.models", {"mt6": {"epochs": 6}}, "'mt6' .*did you mean 'mt5'"),
        ("real", "xlm_align.xtreme.languages", ["pairs", "tu"], "'tu' is not defined under the languages"),
        ("", "word_alignment.aligners", {"fastalign": {"reads": "text"}}, "'fastalign' .*did you"),
        ("", "word_alignment.bitext.aligner", "fastalign", "'fastalign' .*did you mean 'fast_align'"),
        ("full", "align_mlm.natural", "xyz", "'xyz' is not defined"),
        ("full", "align_mlm", {"natural": "ber"}, "'ana_trans' is not derived from 'ber'"),
        ("full", "align_mlm", {"transformations": {"trans": "ber"}}, "'ber' is not derived from 'ana'"),
        ("full", "align_mlm", {"transformations": {"trans": "ana_tarns"}},
         "transformations.trans: 'ana_tarns' .*did you mean 'ana_trans'"),
        ("full", "align_mlm", {"systems": {"xlm": None}}, "ablations.parallel.system: 'xlm' is not defined"),
        ("full", "align_mlm", {"transformations": {"trans_syn": None}},
         "ablations.dictionary.transformations: 'trans_syn'"),
        ("full", "align_mlm.systems", {"new": {"objective": ["mml"]}}, "new.objective: 'mml' is .*did you mean 'mlm'"),
        ("full", "align_mlm.seeds", {"inverted": [1]}, "'inverted' is not defined under align_mlm.trans"),
        ("", "mbert_align.encoder", "bert", "'bert' is not defined"),
        ("", "mbert_align.transfer.ner.ana", ["xyz"], "'xyz' is not defined"),
        ("", "mbert_align.transfer.ner.ana", ["pairs", "xyz"], "'xyz' is not"),
        ("", "mbert_align.transfer.ner.ana", 0, "0 must be greater than or equal to 1"),
        ("", "mbert_align.transfer.ner.ana", ["ana"], "ana is of ana, the language of"),
        ("", "mbert_align.transfer.ner.xyz", ["pairs"], "'xyz' is not defined"),
        ("", "mbert_align.transfer", {"ner": None, "slots": None}, "names nothing"),
        ("", "mbert_align.transfer", {"nli": {"ana": None}}, "'nli' is not .* the tasks of tags"),
        ("", "mbert_align.transfer", {"slot": {"ana": None}}, ".*did you mean 'slots'"),
        ("", "laser_taggers.tasks.ner", {"source": "ana", "targets": ["xyz"]}, ".*'xyz' is not defined under the sets"),
        ("", "laser_taggers.tasks.ner", {"source": "ana", "targets": ["ana"]}, ".*two sets of one language"),
        ("full", "laser_taggers.equal_recipe", ["laser_top"], "laser_top is no baseline"),
        ("", "laser_taggers.equal_recipe", ["bert"], "bert is no baseline"),
        ("", "laser_taggers.equal_recipe", ["bpe_bov"], "'bpe_bov' is not defined"),
        ("", "laser_taggers.systems.bert.encoder", "mbart", "'mbart' is not defined under encoders.multilingual"),
        ("", "laser_taggers.systems.laser_top.embedder", "laser_tip", ".*did you mean 'laser_top'"),
        ("", "laser_taggers.systems.muse.vectors", "muse", "'muse' is not defined under joint_align.systems"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_with_its_key(
    opened: Opener, scale: str, key: str, value: object, message: str
) -> None:
    opened.refuses(key, value, message, scale)
