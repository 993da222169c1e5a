using Microsoft.CodeAnalysis;

namespace Quayside.Pipeline.Generators.Analysis;

/// <summary>The questions that the rules ask about an async method.</summary>
internal static class AsyncMethods
{
    private const string PooledBuilder = "PooledAsyncMethodBuilder";

    public static bool IsOfAPart(IMethodSymbol method) =>
        method.ContainingType is { TypeKind: TypeKind.Class or TypeKind.Struct } type
            && type.AllInterfaces.Any(static contract => PipelineNames.ContractOf(contract) is not null);

    /// <summary>Whether the chain calls the method through a part's contract.</summary>
    public static bool ImplementsContract(IMethodSymbol method)
    {
        foreach (INamedTypeSymbol contract in method.ContainingType.AllInterfaces.Where(static contract => PipelineNames.ContractOf(contract) is not null))
        {
            foreach (ISymbol member in contract.GetMembers())
            {
                ISymbol? implementation = method.ContainingType.FindImplementationForInterfaceMember(member);
                for (IMethodSymbol? own = method; own is not null; own = own.OverriddenMethod)
                {
                    if (SymbolEqualityComparer.Default.Equals(own, implementation))
                    {
                        return true;
                    }
                }
            }
        }

        return false;
    }

    /// <summary>The builder that fits the method's result, as an attribute names it; null when none does.</summary>
    public static string? PooledBuilderFor(IMethodSymbol method) =>
        method.ReturnType is INamedTypeSymbol
        {
            Name: "ValueTask",
            ContainingNamespace: { Name: "Tasks", ContainingNamespace: { Name: "Threading", ContainingNamespace.Name: "System" } }
        } task
            ? task.IsGenericType ? $"{PooledBuilder}<>" : PooledBuilder
            : null;

    public static bool IsPooled(IMethodSymbol method) => method.GetAttributes().Any(static attribute =>
        attribute.AttributeClass?.Name == "AsyncMethodBuilderAttribute"
        && attribute.ConstructorArguments.Length == 1
        && attribute.ConstructorArguments[0].Value is INamedTypeSymbol { Name: PooledBuilder } builder
        && PipelineNames.IsNamespace(builder.ContainingNamespace, "Frames"));
}
