namespace Pipeline.Generators.Nodes;

/// <summary>One node class to write: text only, so that an edit elsewhere compares equal and nothing is written again.</summary>
/// <param name="Contract">What the part is used as.</param>
/// <param name="Name">The node class's wish for a name.</param>
/// <param name="Part">The part's type, fully qualified.</param>
/// <param name="Interface">The contract, fully qualified and closed.</param>
/// <param name="In">The context it works on, fully qualified.</param>
/// <param name="Out">The context of what follows, fully qualified; that of a terminator or step is <paramref name="In"/>.</param>
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
