namespace Benchmarks.Walk;

/// <summary>How often a site was passed.</summary>
internal readonly record struct SiteCount(CountedSite Site, long Count);
