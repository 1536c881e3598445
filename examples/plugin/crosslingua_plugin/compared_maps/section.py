"""The section of the configuration, typed."""

from typing import Annotated

from crosslingua.workflow.sections import Distinct, Section, SystemOfVectors


class ComparedMapsSection(Section):
    """The systems of the table."""

    systems: Annotated[Distinct[SystemOfVectors], "systems of joint_align"]


SECTION = ComparedMapsSection
