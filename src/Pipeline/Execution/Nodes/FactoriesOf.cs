using System.Collections.Concurrent;

namespace Pipeline.Execution.Nodes;

/// <summary>The factories of one kind of node, by the part's type.</summary>
internal static class FactoriesOf<TFactory>
    where TFactory : Delegate
{
    private static readonly ConcurrentDictionary<Type, TFactory> ByPart = new();

    public static void Add(Type part, TFactory factory) => ByPart[part] = factory;

    public static TFactory? Find(Type part) => ByPart.GetValueOrDefault(part);
}
