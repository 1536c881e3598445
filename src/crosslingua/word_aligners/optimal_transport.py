"""XLM-Align's word aligner: optimal transport between subwords, then iterative filtering (xlm_align, 3.1 and 4.3)."""

from torch import Tensor
from torch.nn.functional import normalize

from crosslingua.settings import settings
from crosslingua.word_aligners.aligner import VectorAligner
from crosslingua.word_aligners.encoding import UnitBatch
from crosslingua.word_aligners.settings import TransportSettings
from crosslingua.word_aligners.transport import filter_links, log_similarity, sinkhorn


@settings
class OptimalTransport(TransportSettings, VectorAligner):
    """Links by optimal transport between the vectors of two sentences, encoded as one sequence (section 3.1)."""

    def score(self, batch: UnitBatch) -> Tensor:
        """Return the transport plan: rows are probabilities of forward alignments, columns of backward ones."""
        sides = (batch.source, batch.target)
        source, target = (normalize(side, dim=2) for side in sides) if self.cosine else sides
        similarity = log_similarity(source, target, self.epsilon)
        return sinkhorn(similarity, batch.source_mask, batch.target_mask, self.mu, self.sinkhorn_iterations)

    def select(self, score: Tensor, batch: UnitBatch) -> Tensor:
        """Return the filtered links."""
        masks, how = (batch.source_mask, batch.target_mask), (self.alpha, self.filter_iterations)
        return filter_links(score, *masks, *how, self.discount_linked)
