namespace Integration.Tests.Packages;

/// <summary>The tests that look at the packages share one packing.</summary>
[CollectionDefinition(Name)]
public sealed class PackageCollection : ICollectionFixture<PackedPackages>
{
    public const string Name = "packages";
}
