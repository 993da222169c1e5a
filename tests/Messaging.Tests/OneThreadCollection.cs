namespace Messaging.Tests;

/// <summary>Tests that move a held clock; they run alone, on <see cref="OneThread"/>.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class OneThreadCollection : ICollectionFixture<OneThread>
{
    public const string Name = "one thread";
}
