using System.Text;

namespace Pipeline.Generators.Nodes;

/// <summary>
/// The node of a step, with code for those of its three methods that it has: without After and OnError the rest of the chain is
/// called last and its task is passed through; without OnError nothing is caught.
/// </summary>
internal static class StepNodeText
{
    private const string Before = "BeforeAsync";
    private const string After = "AfterAsync";

    public static string Write(NodeModel node)
    {
        StringBuilder text = new();
        text.Append(
            $$"""
                internal sealed class {{node.Name}} : {{PipelineNames.StepNode}}<{{node.In}}>
                {
                    private readonly {{node.Part}} _part;

                    public {{node.Name}}({{node.Part}} part, {{PipelineNames.Next}}<{{node.In}}>? next)
                        : base(next) => _part = part;
            """);
        text.Append("\n\n");
        AppendCalls(text, node);
        string rest = Rest(node);
        if (node.Before == PartCall.None)
        {
            text.Append(Method("public", "InvokeAsync", node, rest)).Append('\n');
            text.Append($"        protected override {PipelineNames.ValueTask} InvokeRestAsync({node.In} context) => InvokeAsync(context);\n");
        }
        else
        {
            text.Append(Method("public", "InvokeAsync", node, AroundRest(node, passesThrough: !HasLeaving(node)))).Append('\n');
            text.Append(Method("protected", "InvokeRestAsync", node, rest));
        }

        if (AwaitsAfter(node))
        {
            text.Append('\n').Append(AwaitThenAfter(node)).Append('\n');
        }

        return text.Append("    }").ToString();
    }

    private static bool HasLeaving(NodeModel node) => node.After != PartCall.None || node.OnError != PartCall.None;

    private static bool AwaitsAfter(NodeModel node) => node is { After: not PartCall.None, OnError: PartCall.None };

    private static void AppendCalls(StringBuilder text, NodeModel node)
    {
        if (node.Before != PartCall.None)
        {
            text.Append($"        public override {PipelineNames.ValueTask}<{PipelineNames.Outcome}> {Before}({node.In} context) => {node.Call(node.Before, Before, "context")};\n\n");
        }

        if (node.After != PartCall.None)
        {
            text.Append($"        public override {PipelineNames.ValueTask} {After}({node.In} context) => {node.Call(node.After, After, "context")};\n\n");
        }

        if (node.OnError != PartCall.None)
        {
            text.Append($"        public override {PipelineNames.ValueTask}<{PipelineNames.ErrorOutcome}> OnErrorAsync({node.In} context, global::System.Exception exception) => {node.Call(node.OnError, "OnErrorAsync", "context, exception")};\n\n");
        }
    }

    private static string Method(string access, string name, NodeModel node, string body) => body.Contains('\n')
        ? $"        {access} override {PipelineNames.ValueTask} {name}({node.In} context)\n        {{\n{body}\n        }}\n"
        : $"        {access} override {PipelineNames.ValueTask} {name}({node.In} context) => {body};\n";

    private static string AroundRest(NodeModel node, bool passesThrough) =>
        $$"""
                    {{PipelineNames.ValueTask}}<{{PipelineNames.Outcome}}> before = {{node.Call(node.Before, Before, "context")}};
                    if (!before.IsCompletedSuccessfully)
                    {
                        return AwaitBeforeAsync(before, context);
                    }

                    return before.Result == {{PipelineNames.Outcome}}.Stop ? default : {{(passesThrough ? "Rest.InvokeAsync" : "InvokeRestAsync")}}(context);
        """;

    private static string Rest(NodeModel node)
    {
        if (!HasLeaving(node))
        {
            return "Rest.InvokeAsync(context)";
        }

        return
            $$"""
                        {{(node.OnError == PartCall.None ? $"{PipelineNames.ValueTask} rest = Rest.InvokeAsync(context);" : CaughtRest)}}
                        if (!rest.IsCompletedSuccessfully)
                        {
                            return {{(AwaitsAfter(node) ? "AwaitThenAfterAsync" : "AwaitRestAsync")}}(rest, context);
                        }

                        // Reading the result hands a pooled task source back.
                        rest.GetAwaiter().GetResult();
                        return {{(node.After == PartCall.None ? "default" : node.Call(node.After, After, "context"))}};
            """;
    }

    private const string CaughtRest =
        $$"""
        {{PipelineNames.ValueTask}} rest;
                    try
                    {
                        rest = Rest.InvokeAsync(context);
                    }
                    catch (global::System.Exception exception)
                    {
                        rest = {{PipelineNames.ValueTask}}.FromException(exception);
                    }

        """;

    private static string AwaitThenAfter(NodeModel node) =>
        $$"""
                [global::System.Runtime.CompilerServices.AsyncMethodBuilder(typeof({{PipelineNames.PooledBuilder}}))]
                private async {{PipelineNames.ValueTask}} AwaitThenAfterAsync({{PipelineNames.ValueTask}} rest, {{node.In}} context)
                {
                    await rest;
                    await {{node.Call(node.After, After, "context")}};
                }
        """;
}
