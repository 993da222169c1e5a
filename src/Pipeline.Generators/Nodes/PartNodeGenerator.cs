using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Quayside.Pipeline.Generators.Nodes;

/// <summary>
/// Writes a node class for every part type of the assembly, and for every closed construction of a generic one that its source
/// names. The generated code registers them in <c>PartNodes</c> when the assembly is loaded. Other parts run in the shared nodes.
/// </summary>
[Generator(LanguageNames.CSharp)]
public sealed class PartNodeGenerator : IIncrementalGenerator
{
    internal const string NodesStep = "Nodes";
    internal const string FileName = "PartNodes.g.cs";

    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<EquatableArray<NodeModel>> declared = context.SyntaxProvider
            .CreateSyntaxProvider(
                static (
                    node, _) => node is ClassDeclarationSyntax { TypeParameterList: null, BaseList: not null }
                        or RecordDeclarationSyntax { TypeParameterList: null, BaseList: not null },
                static (syntax, cancellation) => Read(syntax.SemanticModel.GetDeclaredSymbol(syntax.Node, cancellation), syntax))
            .Where(static nodes => nodes.Count > 0);
        IncrementalValuesProvider<EquatableArray<NodeModel>> constructed = context.SyntaxProvider
            .CreateSyntaxProvider(
                static (node, _) => node is GenericNameSyntax { IsUnboundGenericName: false },
                static (syntax, cancellation) => Read(syntax.SemanticModel.GetSymbolInfo(syntax.Node, cancellation).Symbol, syntax))
            .Where(static nodes => nodes.Count > 0);
        IncrementalValueProvider<EquatableArray<NodeModel>> all = declared.Collect()
            .Combine(constructed.Collect())
            .Select(static (found, _) => Join(found.Left, found.Right))
            .WithTrackingName(NodesStep);

        // No code names the nodes, so an editor need not generate them while the user types.
        context.RegisterImplementationSourceOutput(all, static (output, nodes) =>
        {
            if (nodes.Count > 0)
            {
                output.AddSource(FileName, NodeFile.Write(nodes));
            }
        });
    }

    private static EquatableArray<NodeModel> Read(ISymbol? symbol, GeneratorSyntaxContext syntax) =>
        symbol is INamedTypeSymbol part ? PartReader.Read(part, syntax.SemanticModel.Compilation) : default;

    /// <summary>Each node once, in an order and with names that are independent of the order of the files.</summary>
    private static EquatableArray<NodeModel> Join(ImmutableArray<EquatableArray<NodeModel>> declared, ImmutableArray<EquatableArray<NodeModel>> constructed)
    {
        List<NodeModel> nodes = [.. declared.Concat(constructed).SelectMany(static nodes => nodes).Distinct()];
        nodes.Sort(
            static (left, right) => string.CompareOrdinal(left.Part, right.Part) is int order and not 0
                ? order
                : string.CompareOrdinal(left.Interface, right.Interface));
        HashSet<string> names = new(StringComparer.Ordinal);
        for (int i = 0; i < nodes.Count; i++)
        {
            string name = nodes[i].Name;
            for (int number = 2; !names.Add(name); number++)
            {
                name = $"{nodes[i].Name}{number}";
            }

            nodes[i] = nodes[i] with { Name = name };
        }

        return new([.. nodes]);
    }
}
