namespace Quayside.Pipeline.Generators.Nodes;

/// <summary>One node class to write. Text only: after an edit elsewhere it compares equal, and nothing is generated again.</summary>
/// <param name="Contract">What the part is used as.</param>
/// <param name="Name">The preferred name of the node class.</param>
/// <param name="Part">The part's type, fully qualified.</param>
/// <param name="Interface">The contract, fully qualified and closed.</param>
/// <param name="In">The context it works on, fully qualified.</param>
/// <param name="Out">The context of the next part, fully qualified; for a terminator or step it is <paramref name="In"/>.</param>
internal sealed record NodeModel(PartContract Contract, string Name, string Part, string Interface, string In, string Out)
{
    /// <summary>A behaviour's or terminator's only method.</summary>
    public PartCall Invoke { get; init; }

    public PartCall Before { get; init; }

    public PartCall After { get; init; }

    public PartCall OnError { get; init; }

    /// <summary>The call of one of the part's methods, as an expression.</summary>
    public string Call(PartCall call, string method, string arguments) =>
        call == PartCall.Direct ? $"_part.{method}({arguments})" : $"(({Interface})_part).{method}({arguments})";
}

/// <summary>How a node reaches one method of its part.</summary>
internal enum PartCall
{
    /// <summary>Not at all: the part has only the contract's default, which does nothing.</summary>
    None,

    /// <summary>By the part's own method, so that the JIT sees what it calls.</summary>
    Direct,

    /// <summary>Through the contract: implemented explicitly, by another interface, or hidden by a member of the same name.</summary>
    Interface,
}
