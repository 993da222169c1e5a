using System.Collections.Immutable;
using System.Composition;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Editing;
using Microsoft.CodeAnalysis.Formatting;

namespace Pipeline.Generators.CodeFixes;

/// <summary>PIPE002: names the pooled builder on the method, in place of another builder if it has one, and adds the usings.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(PooledBuilderCodeFix))]
[Shared]
public sealed class PooledBuilderCodeFix : CodeFixProvider
{
    private const string Title = "Use the pooled builder";

    public override ImmutableArray<string> FixableDiagnosticIds { get; } = ["PIPE002"];

    public override FixAllProvider GetFixAllProvider() => WellKnownFixAllProviders.BatchFixer;

    public override async Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        SyntaxNode? root = await context.Document.GetSyntaxRootAsync(context.CancellationToken).ConfigureAwait(false);
        Diagnostic diagnostic = context.Diagnostics[0];
        SyntaxNode? method = root?.FindNode(diagnostic.Location.SourceSpan).FirstAncestorOrSelf<SyntaxNode>(static node => node is MethodDeclarationSyntax or LocalFunctionStatementSyntax);
        if (method is not null)
        {
            context.RegisterCodeFix(CodeAction.Create(Title, cancellation => FixAsync(context.Document, method, cancellation), Title), diagnostic);
        }
    }

    private static async Task<Document> FixAsync(Document document, SyntaxNode method, CancellationToken cancellation)
    {
        DocumentEditor editor = await DocumentEditor.CreateAsync(document, cancellation).ConfigureAwait(false);
        editor.ReplaceNode(method, WithBuilder(method).WithAdditionalAnnotations(Formatter.Annotation));
        CompilationUnitSyntax root = (CompilationUnitSyntax)editor.GetChangedRoot();
        HashSet<string> known = [.. await KnownNamespacesAsync(document, method, cancellation).ConfigureAwait(false)];
        bool hadUsings = root.Usings.Count > 0;
        foreach (string space in (string[])["System.Runtime.CompilerServices", "Pipeline.Frames"])
        {
            if (!known.Contains(space))
            {
                root = WithUsing(root, space);
            }
        }

        if (!hadUsings && root.Usings.Count > 0)
        {
            // A blank line between the first usings and what follows, whose comments stay with it.
            UsingDirectiveSyntax last = root.Usings[root.Usings.Count - 1];
            root = root.ReplaceNode(last, last.WithTrailingTrivia(SyntaxFactory.LineFeed, SyntaxFactory.LineFeed));
        }

        return document.WithSyntaxRoot(root);
    }

    private static SyntaxNode WithBuilder(SyntaxNode method)
    {
        TypeSyntax result = method is MethodDeclarationSyntax { ReturnType: var type } ? type : ((LocalFunctionStatementSyntax)method).ReturnType;
        string builder = result.DescendantNodesAndSelf().OfType<GenericNameSyntax>().Any(static name => name.Identifier.Text == "ValueTask") ? "PooledAsyncMethodBuilder<>" : "PooledAsyncMethodBuilder";
        AttributeArgumentSyntax argument = SyntaxFactory.AttributeArgument(SyntaxFactory.ParseExpression($"typeof({builder})"));
        AttributeSyntax? other = Attributes(method).SelectMany(static list => list.Attributes).FirstOrDefault(static attribute => attribute.Name.ToString().Contains("AsyncMethodBuilder"));
        if (other is not null)
        {
            return method.ReplaceNode(other, other.WithArgumentList(SyntaxFactory.AttributeArgumentList([argument])));
        }

        // The list takes over what stands before the method: its comments and its place.
        AttributeListSyntax list = SyntaxFactory.AttributeList([SyntaxFactory.Attribute(SyntaxFactory.ParseName("AsyncMethodBuilder"), SyntaxFactory.AttributeArgumentList([argument]))]);
        SyntaxTriviaList leading = method.GetLeadingTrivia();
        bool first = Attributes(method).Count == 0;
        list = list.WithTrailingTrivia(SyntaxFactory.ElasticLineFeed);
        if (first)
        {
            list = list.WithLeadingTrivia(leading);
            method = method.WithLeadingTrivia(SyntaxFactory.ElasticMarker);
        }

        return method switch
        {
            MethodDeclarationSyntax declaration => declaration.AddAttributeLists(list),
            LocalFunctionStatementSyntax local => local.AddAttributeLists(list),
            _ => method,
        };
    }

    private static SyntaxList<AttributeListSyntax> Attributes(SyntaxNode method) =>
        method is MethodDeclarationSyntax declaration ? declaration.AttributeLists : ((LocalFunctionStatementSyntax)method).AttributeLists;

    /// <summary>The namespaces that are imported at the method, by its file or for the whole project.</summary>
    private static async Task<IEnumerable<string>> KnownNamespacesAsync(Document document, SyntaxNode method, CancellationToken cancellation)
    {
        SemanticModel? model = await document.GetSemanticModelAsync(cancellation).ConfigureAwait(false);
        return model!.GetImportScopes(method.SpanStart, cancellation).SelectMany(static scope => scope.Imports).Select(static import => import.NamespaceOrType.ToDisplayString());
    }

    private static CompilationUnitSyntax WithUsing(CompilationUnitSyntax root, string space)
    {
        UsingDirectiveSyntax directive = SyntaxFactory.UsingDirective(SyntaxFactory.ParseName(space)).NormalizeWhitespace().WithTrailingTrivia(SyntaxFactory.ElasticLineFeed);
        int place = 0;
        while (place < root.Usings.Count && Precedes(root.Usings[place], space))
        {
            place++;
        }

        if (place == 0 && root.Usings.Count > 0)
        {
            SyntaxTriviaList header = root.Usings[0].GetLeadingTrivia();
            directive = directive.WithLeadingTrivia(header);
            root = root.ReplaceNode(root.Usings[0], root.Usings[0].WithLeadingTrivia());
        }

        return root.WithUsings(root.Usings.Insert(place, directive));
    }

    /// <summary>System first, then by name, as .editorconfig asks.</summary>
    private static bool Precedes(UsingDirectiveSyntax existing, string space)
    {
        string name = existing.Name?.ToString() ?? string.Empty;
        bool system = name.StartsWith("System", StringComparison.Ordinal);
        bool otherSystem = space.StartsWith("System", StringComparison.Ordinal);
        return existing.GlobalKeyword.IsKind(SyntaxKind.GlobalKeyword)
            || (existing.Alias is null && existing.StaticKeyword.IsKind(SyntaxKind.None) && (system == otherSystem ? string.CompareOrdinal(name, space) < 0 : system));
    }
}
