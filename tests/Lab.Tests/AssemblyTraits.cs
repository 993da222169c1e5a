// The lab measures no part of the product, so a run of the suite for a change leaves it to .ci/run.
[assembly: Trait("Category", "Long")]
