using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Quayside.Pipeline.Generators.Analysis;

namespace Pipeline.Tests.Generators.Analysis;

public sealed class AsyncPartAnalyzerTests
{
    private const string Pooled = "[AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder))]";
    private const string PooledResult = "[AsyncMethodBuilder(typeof(PooledAsyncMethodBuilder<>))]";

    [Theory]
    [InlineData(
        "class P : IBehavior<Ctx, Ctx> { " + Pooled + " public async ValueTask InvokeAsync(Ctx context, Next<Ctx> next) => await next.InvokeAsync(context); }",
        "InvokeAsync")]
    [InlineData(
        "class P : IFork<Ctx, Ctx> { " + Pooled + " public async ValueTask InvokeAsync(Ctx context, Next<Ctx> next) => await next.InvokeAsync(context); }",
        "InvokeAsync")]
    [InlineData("class P : ITerminator<Ctx> { " + Pooled + " public async ValueTask InvokeAsync(Ctx context) => await Task.Yield(); }", "InvokeAsync")]
    [InlineData(
        "class P : ITerminator<Ctx> { " + Pooled + " async ValueTask ITerminator<Ctx>.InvokeAsync(Ctx context) => await Task.Yield(); }",
        "Quayside.Pipeline.Behaviors.ITerminator<Samples.Ctx>.InvokeAsync")]
    [InlineData(
        "class P : IStep<Ctx> { " + PooledResult + " public async ValueTask<StepOutcome> BeforeAsync(Ctx context) { await Task.Yield(); return default; } }",
        "BeforeAsync")]
    [InlineData("class P : IStep<Ctx> { " + Pooled + " public async ValueTask AfterAsync(Ctx context) => await Task.Yield(); }", "AfterAsync")]
    [InlineData(
        "class P : IStep<Ctx> { " + PooledResult
            + " public async ValueTask<ErrorOutcome> OnErrorAsync(Ctx context, Exception exception) { await Task.Yield(); return default; } }", "OnErrorAsync")]
    [InlineData(
        "abstract class A : IStep<Ctx> { public abstract ValueTask AfterAsync(Ctx context); } class P : A { " + Pooled
            + " public override async ValueTask AfterAsync(Ctx context) => await Task.Yield(); }", "AfterAsync")]
    [InlineData("class P<T> : IStep<T> where T : Ctx { " + Pooled + " public async ValueTask AfterAsync(T context) => await Task.Yield(); }", "AfterAsync")]
    public async Task ContractMethodIsAsync_Warns(string source, string method)
    {
        string warning = (await WarningsAsync(source)).ShouldHaveSingleItem();

        warning.ShouldStartWith($"PIPE001: '{method}' is async");
    }

    [Theory]
    [InlineData("class P : IStep<Ctx> { async ValueTask AwaitAsync() => await Task.Yield(); }", "AwaitAsync", "PooledAsyncMethodBuilder")]
    [InlineData(
        "class P : IStep<Ctx> { static async ValueTask<int> AwaitAsync() { await Task.Yield(); return 1; } }", "AwaitAsync", "PooledAsyncMethodBuilder<>")]
    [InlineData("struct P : IStep<Ctx> { async ValueTask AwaitAsync() => await Task.Yield(); }", "AwaitAsync", "PooledAsyncMethodBuilder")]
    [InlineData("abstract class P : IStep<Ctx> { async ValueTask AwaitAsync() => await Task.Yield(); }", "AwaitAsync", "PooledAsyncMethodBuilder")]
    [InlineData(
        "class O { class P : IBehavior<Ctx, Ctx> { public ValueTask InvokeAsync(Ctx context, Next<Ctx> next) => AwaitAsync(); "
            + "async ValueTask AwaitAsync() => await Task.Yield(); } }", "AwaitAsync", "PooledAsyncMethodBuilder")]
    [InlineData(
        "class P : IStep<Ctx> { [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))] async ValueTask AwaitAsync() => await Task.Yield(); }",
        "AwaitAsync", "PooledAsyncMethodBuilder")]
    [InlineData(
        "class P : IStep<Ctx> { public ValueTask AfterAsync(Ctx context) { return RestAsync(); async ValueTask RestAsync() => await Task.Yield(); } }",
        "RestAsync", "PooledAsyncMethodBuilder")]
    public async Task UnpooledMethodOfAPart_Warns(string source, string method, string builder) => (await WarningsAsync(source))
        .ShouldBe([$"PIPE002: '{method}' allocates about 120 B whenever it suspends; add [AsyncMethodBuilder(typeof({builder}))]"]);

    [Fact]
    public async Task PlainAsyncPart_WarnsOfBoth() =>
    (await WarningsAsync("class P : ITerminator<Ctx> { public async ValueTask InvokeAsync(Ctx context) => await Task.Yield(); }"))
        .Select(warning => warning[..7]).ShouldBe(["PIPE001", "PIPE002"], ignoreOrder: true);

    [Theory]
    [InlineData(
        "class P : IStep<Ctx> { public ValueTask AfterAsync(Ctx context) => AwaitAsync(); " + Pooled
            + " async ValueTask AwaitAsync() => await Task.Yield(); }")]
    [InlineData("class P : IStep<Ctx> { " + PooledResult + " static async ValueTask<int> AwaitAsync() { await Task.Yield(); return 1; } }")]
    [InlineData(
        "class P : IStep<Ctx> { public ValueTask AfterAsync(Ctx context) { return RestAsync(); " + Pooled
            + " async ValueTask RestAsync() => await Task.Yield(); } }")]
    [InlineData("class P : IStep<Ctx> { async Task SlowAsync() => await Task.Yield(); async void Fire() => await Task.Yield(); }")]
    [InlineData(
        "class P : ITerminator<Ctx> { ValueTask ITerminator<Ctx>.InvokeAsync(Ctx context) => default; " + Pooled
            + " public async ValueTask InvokeAsync(Ctx context) => await Task.Yield(); }")]
    [InlineData("class NoPart { public async ValueTask InvokeAsync(Ctx context) => await Task.Yield(); }")]
    [InlineData(
        "interface IStep<T> { ValueTask AfterAsync(T context); } class NoPart : "
            + "IStep<int> { public async ValueTask AfterAsync(int context) => await Task.Yield(); }")]
    public async Task Anything_Else_IsFine(string source) => (await WarningsAsync(source)).ShouldBeEmpty();

    private static async Task<IEnumerable<string>> WarningsAsync(string source)
    {
        CSharpCompilation compilation = Sample.Compilation($"namespace Own {{ {source} }}");
        compilation.GetDiagnostics().Where(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error).ShouldBeEmpty();

        ImmutableArray<Diagnostic> warnings = await compilation.WithAnalyzers([new AsyncPartAnalyzer()]).GetAnalyzerDiagnosticsAsync();

        warnings.Where(warning => warning.Severity != DiagnosticSeverity.Warning || !warning.Location.IsInSource).ShouldBeEmpty();
        return warnings.Select(warning => $"{warning.Id}: {warning.GetMessage()}");
    }
}
