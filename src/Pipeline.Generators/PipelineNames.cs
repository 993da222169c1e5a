using Microsoft.CodeAnalysis;

namespace Quayside.Pipeline.Generators;

/// <summary>The library's types, as source text and as symbols: the generator does not reference the library.</summary>
internal static class PipelineNames
{
    public const string Next = "global::Quayside.Pipeline.Behaviors.Next";
    public const string Outcome = "global::Quayside.Pipeline.Behaviors.StepOutcome";
    public const string ErrorOutcome = "global::Quayside.Pipeline.Behaviors.ErrorOutcome";
    public const string StepNode = "global::Quayside.Pipeline.Execution.Nodes.StepNode";
    public const string PartNodes = "global::Quayside.Pipeline.Execution.Nodes.PartNodes";
    public const string ValueTask = "global::System.Threading.Tasks.ValueTask";

    /// <summary>The contract that an interface is; null for any other interface.</summary>
    public static PartContract? ContractOf(INamedTypeSymbol type)
    {
        PartContract? contract = type.MetadataName switch
        {
            "IStep`1" => PartContract.Step,
            "IBehavior`2" => PartContract.Behavior,
            "ITerminator`1" => PartContract.Terminator,
            _ => null,
        };
        return contract is not null && IsNamespace(type.ContainingNamespace, "Behaviors") ? contract : null;
    }

    /// <summary>Whether a type lies in the library's namespace of that name.</summary>
    public static bool IsNamespace(INamespaceSymbol? space, string name) =>
        space is { ContainingNamespace: { Name: "Pipeline", ContainingNamespace: { Name: "Quayside", ContainingNamespace.IsGlobalNamespace: true } } }
            && space.Name == name;
}

/// <summary>The contract that a part implements; a fork is a behaviour.</summary>
internal enum PartContract
{
    Step,
    Behavior,
    Terminator,
}
