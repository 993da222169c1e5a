namespace Integration.Tests.Packages;

/// <summary>Tests of the packages share one <c>dotnet pack</c>.</summary>
[CollectionDefinition(Name)]
public sealed class PackageCollection : ICollectionFixture<PackedPackages>
{
    public const string Name = "packages";
}
