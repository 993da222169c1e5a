namespace Quayside.Pipeline.Generators.Nodes;

/// <summary>The node of a behaviour, connector, fork or terminator: one call.</summary>
internal static class CallNodeText
{
    public static string Write(NodeModel node) => node.Contract == PartContract.Behavior
        ? $$"""
                internal sealed class {{node.Name}} : {{PipelineNames.Next}}<{{node.In}}>
                {
                    private readonly {{node.Part}} _part;
                    private readonly {{PipelineNames.Next}}<{{node.Out}}> _next;

                    public {{node.Name}}({{node.Part}} part, {{PipelineNames.Next}}<{{node.Out}}> next)
                    {
                        _part = part;
                        _next = next;
                    }

                    public override {{PipelineNames.ValueTask}} InvokeAsync({{node.In}} context) => {{node.Call(node.Invoke, "InvokeAsync", "context, _next")}};
                }
            """
        : $$"""
                internal sealed class {{node.Name}} : {{PipelineNames.Next}}<{{node.In}}>
                {
                    private readonly {{node.Part}} _part;

                    public {{node.Name}}({{node.Part}} part) => _part = part;

                    public override {{PipelineNames.ValueTask}} InvokeAsync({{node.In}} context) => {{node.Call(node.Invoke, "InvokeAsync", "context")}};
                }
            """;
}
