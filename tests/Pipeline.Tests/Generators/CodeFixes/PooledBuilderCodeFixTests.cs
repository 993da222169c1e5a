using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Pipeline.Generators.Analysis;
using Pipeline.Generators.CodeFixes;

namespace Pipeline.Tests.Generators.CodeFixes;

/// <summary>The fixed text as it is written to the file, and that nothing is left to say about it.</summary>
public sealed class PooledBuilderCodeFixTests
{
    [Fact]
    public async Task Fix_MethodWithUsings_AddsAttributeAndSortsUsings() => (await FixAsync(
        """
        using System.Threading.Tasks;
        using Pipeline.Behaviors;
        using Samples;

        namespace Own;

        internal sealed class P : IStep<Ctx>
        {
            /// <summary>Slow.</summary>
            private async ValueTask AwaitAsync() => await Task.Yield();
        }
        """)).ShouldBe(
        """
        using System.Runtime.CompilerServices;
        using System.Threading.Tasks;
        using Pipeline.Behaviors;
        using Pipeline.Frames;
        using Samples;

        namespace Own;

        internal sealed class P : IStep<Ctx>
        {
            /// <summary>Slow.</summary>
            [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
            private async ValueTask AwaitAsync() => await Task.Yield();
        }
        """);

    [Fact]
    public async Task Fix_MethodWithAResultAndAnotherAttribute_AddsTheOpenBuilder() => (await FixAsync(
        """
        using System;
        using System.Runtime.CompilerServices;
        using System.Threading.Tasks;
        using Pipeline.Frames;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            private int _count;

            [Obsolete]
            private async ValueTask<int> AwaitAsync()
            {
                await Task.Yield();
                return _count++;
            }
        }
        """)).ShouldBe(
        """
        using System;
        using System.Runtime.CompilerServices;
        using System.Threading.Tasks;
        using Pipeline.Frames;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            private int _count;

            [Obsolete]
            [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]
            private async ValueTask<int> AwaitAsync()
            {
                await Task.Yield();
                return _count++;
            }
        }
        """);

    [Fact]
    public async Task Fix_AnotherBuilder_IsReplaced() => (await FixAsync(
        """
        using System.Runtime.CompilerServices;
        using System.Threading.Tasks;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
            private async ValueTask AwaitAsync() => await Task.Yield();
        }
        """)).ShouldBe(
        """
        using System.Runtime.CompilerServices;
        using System.Threading.Tasks;
        using Pipeline.Frames;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
            private async ValueTask AwaitAsync() => await Task.Yield();
        }
        """);

    [Fact]
    public async Task Fix_FileWithoutUsings_StartsWithThem() => (await FixAsync(
        """
        // About P.
        namespace Own;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            private async System.Threading.Tasks.ValueTask AwaitAsync() => await System.Threading.Tasks.Task.Yield();
        }
        """)).ShouldBe(
        """
        using System.Runtime.CompilerServices;
        using Pipeline.Frames;

        // About P.
        namespace Own;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
            private async System.Threading.Tasks.ValueTask AwaitAsync() => await System.Threading.Tasks.Task.Yield();
        }
        """);

    [Fact]
    public async Task Fix_LocalFunction_AddsAttribute() => (await FixAsync(
        """
        using System.Runtime.CompilerServices;
        using System.Threading.Tasks;
        using Pipeline.Frames;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            public ValueTask AfterAsync(Samples.Ctx context)
            {
                return RestAsync();

                async ValueTask RestAsync() => await Task.Yield();
            }
        }
        """)).ShouldBe(
        """
        using System.Runtime.CompilerServices;
        using System.Threading.Tasks;
        using Pipeline.Frames;

        internal sealed class P : Pipeline.Behaviors.IStep<Samples.Ctx>
        {
            public ValueTask AfterAsync(Samples.Ctx context)
            {
                return RestAsync();

                [AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]
                async ValueTask RestAsync() => await Task.Yield();
            }
        }
        """);

    private static async Task<string> FixAsync(string source)
    {
        CSharpCompilation sample = Sample.Compilation();
        using AdhocWorkspace workspace = new();
        Project project = workspace.AddProject("Sample", LanguageNames.CSharp)
            .WithMetadataReferences(sample.References)
            .WithParseOptions(Sample.Parsing)
            .WithCompilationOptions(sample.Options)
            .AddDocument("Context.cs", Sample.Context).Project;
        Document document = project.AddDocument("P.cs", source.ReplaceLineEndings("\n"));
        List<CodeAction> actions = [];
        CodeFixContext context = new(document, (await WarningsAsync(document)).ShouldHaveSingleItem(), (action, _) => actions.Add(action), CancellationToken.None);

        await new PooledBuilderCodeFix().RegisterCodeFixesAsync(context);
        ApplyChangesOperation change = (await actions.ShouldHaveSingleItem().GetOperationsAsync(CancellationToken.None)).OfType<ApplyChangesOperation>().ShouldHaveSingleItem();

        Document changed = change.ChangedSolution.GetDocument(document.Id)!;
        (await WarningsAsync(changed)).ShouldBeEmpty();
        return (await changed.GetTextAsync()).ToString();
    }

    private static async Task<ImmutableArray<Diagnostic>> WarningsAsync(Document document)
    {
        Compilation compilation = (await document.Project.GetCompilationAsync())!;
        compilation.GetDiagnostics().Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error).ShouldBeEmpty();
        return await compilation.WithAnalyzers([new AsyncPartAnalyzer()]).GetAnalyzerDiagnosticsAsync();
    }
}
