using System.Text;

namespace Quayside.Pipeline.Generators.Nodes;

/// <summary>
/// The node of a step, with code for those of the three methods that the step has. Without After and OnError, it calls the rest of
/// the chain last and returns its task. Without OnError, it catches nothing. A run of steps asks which methods it has.
/// </summary>
internal static class StepNodeText
{
    private const string Before = "BeforeAsync";
    private const string After = "AfterAsync";

    private const string StopOrGoOn =
        """
        if (!Continues(before.GetAwaiter().GetResult()))
                    {
                        return default;
                    }

        """;

    private const string CaughtRest =
        $$"""
        try
                    {
                        {{PipelineNames.ValueTask}} rest = Rest.InvokeAsync(context);
                        if (!rest.IsCompleted)
                        {
                            return AwaitRestAsync(rest, context);
                        }

                        // Hands a pooled task source back, or throws.
                        rest.GetAwaiter().GetResult();
                    }
                    catch (global::System.Exception exception)
                    {
                        return UnwindAsync(context, exception);
                    }
        """;

    private const string PlainRest =
        $$"""
        {{PipelineNames.ValueTask}} rest = Rest.InvokeAsync(context);
                    if (!rest.IsCompleted)
                    {
                        return AwaitRestAsync(rest, context);
                    }

                    // Hands a pooled task source back, or throws.
                    rest.GetAwaiter().GetResult();
        """;

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
        text.Append($"        public override {PipelineNames.ValueTask} InvokeAsync({node.In} context)");
        string body = AroundRest(node) + Rest(node);
        text.Append(body.Length == 0 ? " => Rest.InvokeAsync(context);\n" : $"\n        {{\n{body}        }}\n");
        return text.Append("    }").ToString();
    }

    private static bool HasLeaving(NodeModel node) => node.After != PartCall.None || node.OnError != PartCall.None;

    private static void AppendCalls(StringBuilder text, NodeModel node)
    {
        if (node.Before != PartCall.None)
        {
            text.Append(
                $"        public override {PipelineNames.ValueTask}<{PipelineNames.Outcome}> {Before}({node.In} context) => "
                    + $"{node.Call(node.Before, Before, "context")};\n\n");
        }

        if (node.After == PartCall.None)
        {
            text.Append("        public override bool HasAfter => false;\n\n");
        }
        else
        {
            text.Append($"        public override {PipelineNames.ValueTask} {After}({node.In} context) => {node.Call(node.After, After, "context")};\n\n");
        }

        if (node.OnError == PartCall.None)
        {
            text.Append("        public override bool HasOnError => false;\n\n");
        }
        else
        {
            text.Append(
                $"        public override {PipelineNames.ValueTask}<{PipelineNames.ErrorOutcome}> OnErrorAsync({node.In} context, global::System.Exception "
                    + $"exception) => {node.Call(node.OnError, "OnErrorAsync", "context, exception")};\n\n");
        }
    }

    private static string AroundRest(NodeModel node) => node.Before == PartCall.None
        ? string.Empty
        : $$"""
                    {{PipelineNames.ValueTask}}<{{PipelineNames.Outcome}}> before = {{node.Call(node.Before, Before, "context")}};
                    if (!before.IsCompleted)
                    {
                        return AwaitBeforeAsync(before, context);
                    }

                    {{(HasLeaving(node) ? StopOrGoOn : "return Continues(before.GetAwaiter().GetResult()) ? Rest.InvokeAsync(context) : default;")}}

        """;

    private static string Rest(NodeModel node) => !HasLeaving(node)
        ? string.Empty
        : $$"""
                    {{(node.OnError == PartCall.None ? PlainRest : CaughtRest)}}
                    return {{(node.After == PartCall.None ? "default" : node.Call(node.After, After, "context"))}};

        """;
}
