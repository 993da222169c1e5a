using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Integration.Tests.Documents;

/// <summary>
/// What no test does. A test's own limit (tests/Shared/Limits) ends an await that lasts for ever, but no blocked thread; and Shouldly's
/// own ShouldAllBe, called by its type, passes without elements.
/// </summary>
public sealed partial class TestSourcesTests
{
    [Fact]
    public void Tests_NeverBlockWithoutALimit() => Find(Blocking).ShouldBeEmpty("Pass a limit, and assert what the call returns.");

    [Fact]
    public void Tests_OverrideNoLimitWithNone() => Find(Unlimited).ShouldBeEmpty("A test without a limit hangs with what it awaits.");

    /// <summary>Scripts, handlers and listeners run on threads of the pool, several at a time once a test has a second message.</summary>
    [Fact]
    public void Tests_WriteNoCapturedVariableInACallback() =>
        Find(CapturedWrites).ShouldBeEmpty("Two threads may run the callback: use a ConcurrentQueue, Interlocked or a lock.");

    /// <summary>The code under test may catch what is thrown there: then a wait fails later, without the reason.</summary>
    [Fact]
    public void Tests_AssertNothingInAScript() => Find(AssertsInScripts).ShouldBeEmpty("Collect it there, and assert after the wait.");

    [Theory]
    [InlineData("List<int> seen = []; intake.Script = _ => { seen.Add(1); return null; };", true)]
    [InlineData("Dictionary<int, int> seen = []; Handle(message => seen[1] = message);", true)]
    [InlineData("int count = 0; listener.SetMeasurementEventCallback<long>((_, value, _, _) => count += value);", true)]
    [InlineData("int count = 0; Handle(() => { if (++count > 1) { } });", true)]
    [InlineData("int count = 0; Handle(() => Interlocked.Increment(ref count));", false)]
    [InlineData("ConcurrentQueue<int> seen = []; Handle(() => seen.Enqueue(1));", false)]
    [InlineData("List<int> seen = []; Handle(() => { lock (seen) { seen.Add(1); } });", false)]
    [InlineData("Handle(() => { List<int> seen = []; seen.Add(1); });", false)]
    [InlineData("int count = 0; numbers.Select(number => count += number).ToArray();", false)]
    public void CapturedWrites_OfACallback_AreFound(string code, bool found) =>
        CapturedWrites(RootOf($"class C {{ void M() {{ {code} }} }}")).Any().ShouldBe(found);

    [Theory]
    [InlineData("intake.Script = delivery => { delivery.Count.ShouldBe(1); return null; };", true)]
    [InlineData("listener.SetMeasurementEventCallback<long>((_, value, _, _) => value.ShouldBe(1));", true)]
    [InlineData("intake.Script = delivery => { seen.Enqueue(delivery.Count); return null; }; seen.ShouldBe([1]);", false)]
    public void AssertsInScripts_OfAScript_AreFound(string code, bool found) =>
        AssertsInScripts(RootOf($"class C {{ void M() {{ {code} }} }}")).Any().ShouldBe(found);

    private static IEnumerable<SyntaxNode> AssertsInScripts(SyntaxNode root) => root.DescendantNodes().OfType<AnonymousFunctionExpressionSyntax>()
        .Where(callback => Script.IsMatch(callback.Parent is AssignmentExpressionSyntax { Left: var property } ? $"{property}" : MethodOf(callback)))
        .SelectMany(callback => callback.DescendantNodes().OfType<MemberAccessExpressionSyntax>())
        .Where(called => called.Name.Identifier.Text.StartsWith("Should", StringComparison.Ordinal));

    private static IEnumerable<SyntaxNode> CapturedWrites(SyntaxNode root)
    {
        foreach (SyntaxNode node in root.DescendantNodes())
        {
            if (Written(node) is not { } name || node.Ancestors().OfType<AnonymousFunctionExpressionSyntax>().FirstOrDefault() is not { } callback
                || OwnThread.IsMatch(MethodOf(callback)) || node.Ancestors().TakeWhile(outer => outer != callback).OfType<LockStatementSyntax>().Any())
            {
                continue;
            }

            // The nearest one that is outside the callback: a variable of the callback is its own.
            SyntaxNode? declaration = node.Ancestors().SelectMany(outer => outer.ChildNodes()).SelectMany(Declarations)
                .FirstOrDefault(declared => NameOf(declared) == name);
            bool isOwn = declaration?.Ancestors().Contains(callback) ?? false;
            bool isNumber = node is not (InvocationExpressionSyntax or AssignmentExpressionSyntax { Left: ElementAccessExpressionSyntax });
            string text = $"{(declaration?.Parent as VariableDeclarationSyntax)?.Type} {declaration}";
            if (!isOwn && (isNumber || Collection.IsMatch(text)))
            {
                yield return node;
            }
        }
    }

    /// <summary>The name of the variable that the node changes in a way that two threads must not.</summary>
    private static string? Written(SyntaxNode node) => node switch
    {
        PostfixUnaryExpressionSyntax { Operand: IdentifierNameSyntax variable, OperatorToken.Text: "++" or "--" } => variable.Identifier.Text,
        PrefixUnaryExpressionSyntax { Operand: IdentifierNameSyntax variable, OperatorToken.Text: "++" or "--" } => variable.Identifier.Text,
        AssignmentExpressionSyntax { Left: IdentifierNameSyntax variable, OperatorToken.Text: not "=" } => variable.Identifier.Text,
        AssignmentExpressionSyntax { Left: ElementAccessExpressionSyntax { Expression: IdentifierNameSyntax variable } } => variable.Identifier.Text,
        InvocationExpressionSyntax { Expression: MemberAccessExpressionSyntax { Expression: IdentifierNameSyntax variable } method }
            when Change.IsMatch(method.Name.Identifier.Text) => variable.Identifier.Text,
        _ => null,
    };

    /// <summary>The method that takes the callback.</summary>
    private static string MethodOf(AnonymousFunctionExpressionSyntax callback) =>
        callback.Parent is ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax { Expression: var method } } ? $"{method}" : string.Empty;

    private static IEnumerable<SyntaxNode> Declarations(SyntaxNode node) => node switch
    {
        LocalDeclarationStatementSyntax local => local.Declaration.Variables,
        FieldDeclarationSyntax field => field.Declaration.Variables,
        VariableDeclarationSyntax variables => variables.Variables,
        ParameterListSyntax parameters => parameters.Parameters,
        ParameterSyntax parameter => [parameter],
        _ => [],
    };

    private static string NameOf(SyntaxNode declaration) =>
        declaration is VariableDeclaratorSyntax variable ? variable.Identifier.Text : ((ParameterSyntax)declaration).Identifier.Text;

    private static SyntaxNode RootOf(string code) => CSharpSyntaxTree.ParseText(code).GetRoot();

    private static string[] Find(Func<SyntaxNode, IEnumerable<SyntaxNode>> search) =>
    [
        .. Files().SelectMany(file => search(RootOf(File.ReadAllText(file)))
            .Select(node => $"{Path.GetRelativePath(RepositoryFolder.Root, file)}:{node.GetLocation().GetLineSpan().StartLinePosition.Line + 1}: {node}")),
    ];

    private static string[] Find(Regex pattern) =>
    [
        .. Files().Where(file => Path.GetFileName(file) != $"{nameof(TestSourcesTests)}.cs")
            .SelectMany(file => File.ReadLines(file).Index()
                .Where(line => pattern.IsMatch(line.Item))
                .Select(line => $"{Path.GetRelativePath(RepositoryFolder.Root, file)}:{line.Index + 1}: {line.Item.Trim()}")),
    ];

    private static IEnumerable<string> Files() => Directory.EnumerateFiles(RepositoryFolder.Combine("tests"), "*.cs", SearchOption.AllDirectories)
        .Where(file => !Path.GetRelativePath(RepositoryFolder.Root, file).Split(Path.DirectorySeparatorChar).Any(part => part is "bin" or "obj"));

    [GeneratedRegex(@"\.(Join|WaitOne|Wait)\(\)")]
    private static partial Regex Blocking { get; }

    [GeneratedRegex(@"\[(Xunit\.)?(Fact|Theory)\([^)]*Timeout = 0")]
    private static partial Regex Unlimited { get; }

    [GeneratedRegex("^(Add|AddRange|Insert|Remove|RemoveAt|RemoveAll|Clear|TryAdd|Enqueue|Dequeue|TryDequeue|Push|Pop|TryPop)$")]
    private static partial Regex Change { get; }

    [GeneratedRegex(@"\b(List|Dictionary|HashSet|Queue|Stack|SortedSet|SortedDictionary)<")]
    private static partial Regex Collection { get; }

    [GeneratedRegex(@"(Script$|\bSetMeasurementEventCallback\b)")]
    private static partial Regex Script { get; }

    // Called on the thread of the test, before the method returns.
    [GeneratedRegex(@"\b(Select|Where|ForEach|ForAll|OfThread|Do|BecomesTrueAsync)$")]
    private static partial Regex OwnThread { get; }
}
