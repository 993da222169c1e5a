using System.Collections.Immutable;
using Microsoft.CodeAnalysis;

namespace Quayside.Pipeline.Generators.Nodes;

/// <summary>Turns a part's type into the models of its nodes, one for every contract that it implements.</summary>
internal static class PartReader
{
    public static EquatableArray<NodeModel> Read(INamedTypeSymbol part, Compilation compilation)
    {
        if (part.TypeKind != TypeKind.Class || part.IsAbstract || part.IsStatic || part.IsUnboundGenericType)
        {
            return default;
        }

        ImmutableArray<NodeModel>.Builder? nodes = null;
        foreach (INamedTypeSymbol contract in part.AllInterfaces)
        {
            // The contract's name is checked first: most interfaces are not contracts.
            if (PipelineNames.ContractOf(contract) is PartContract kind && TypeText.IsNameable(part, compilation) && TypeText.IsNameable(contract, compilation))
            {
                nodes ??= ImmutableArray.CreateBuilder<NodeModel>();
                nodes.Add(Read(part, contract, kind));
            }
        }

        return nodes is null ? default : new(nodes.ToImmutable());
    }

    private static NodeModel Read(INamedTypeSymbol part, INamedTypeSymbol contract, PartContract kind)
    {
        string first = TypeText.Of(contract.TypeArguments[0]);
        string last = TypeText.Of(contract.TypeArguments[contract.TypeArguments.Length - 1]);
        bool several = part.AllInterfaces.Count(other => PipelineNames.ContractOf(other) == kind) > 1;
        string name = TypeText.Identifier(part, several ? contract : null) + $"_{kind}Node";
        return new NodeModel(kind, name, TypeText.Of(part), TypeText.Of(contract), first, last)
        {
            Invoke = CallOf(part, contract, "InvokeAsync"),
            Before = CallOf(part, contract, "BeforeAsync"),
            After = CallOf(part, contract, "AfterAsync"),
            OnError = CallOf(part, contract, "OnErrorAsync"),
        };
    }

    private static PartCall CallOf(INamedTypeSymbol part, INamedTypeSymbol contract, string name)
    {
        if (contract.GetMembers(name).OfType<IMethodSymbol>().SingleOrDefault() is not { } declared)
        {
            return PartCall.None;
        }

        if (part.FindImplementationForInterfaceMember(declared) is not IMethodSymbol own || SymbolEqualityComparer.Default.Equals(own, declared))
        {
            return PartCall.None;
        }

        return own.ContainingType.TypeKind == TypeKind.Class && own.ExplicitInterfaceImplementations.IsEmpty && own.Name == name && IsTheOnlyOne(part, name)
            ? PartCall.Direct
            : PartCall.Interface;
    }

    /// <summary>
    /// Whether a call by name can only mean this method: the class and its bases have no other member of that name, except overrides.
    /// With hidden methods, overloads, their priorities or generic bases, the node calls through the contract instead, which avoids
    /// those rules; so it does for a method that it may not name.
    /// </summary>
    private static bool IsTheOnlyOne(INamedTypeSymbol part, string name)
    {
        int found = 0;
        for (INamedTypeSymbol? type = part; type is not null; type = type.BaseType)
        {
            foreach (ISymbol member in type.GetMembers(name))
            {
                if (member.GetAttributes().Any(attribute => attribute.AttributeClass?.Name == "ObsoleteAttribute"))
                {
                    return false;
                }

                if (!member.IsOverride)
                {
                    found++;
                }
            }
        }

        return found == 1;
    }
}
