using System.Globalization;
using System.Text;
using Pipeline.Parts;

namespace Quayside.Pipeline.Execution;

/// <summary>The composed chain as text: one line per part, under its stage, with how the form executes it.</summary>
internal static class ChainText
{
    public static string Describe(string name, PipelineForm form, IReadOnlyList<PipelinePart> parts)
    {
        StringBuilder text = new();
        text.Append("pipeline ").Append(name).Append(" (").Append(form.Name).Append(")\n");
        Type? stage = null;
        for (int i = 0; i < parts.Count; i++)
        {
            PipelinePart part = parts[i];
            if (part.In != stage)
            {
                stage = part.In;
                text.Append("  stage ").Append(stage.Name).Append('\n');
            }

            text.Append(CultureInfo.InvariantCulture, $"    {i + 1,2} {KindName(part.Kind),-10} {part.Name}");
            if (part.Kind is PartKind.Connector or PartKind.Fork)
            {
                text.Append(" -> ").Append(part.Out!.Name);
            }

            string plan = form.Plan(parts, i);
            if (plan.Length > 0)
            {
                text.Append("  [").Append(plan).Append(']');
            }

            text.Append('\n');
        }

        return text.ToString();
    }

    private static string KindName(PartKind kind) => kind switch
    {
        PartKind.Step => "step",
        PartKind.Behavior => "behavior",
        PartKind.Connector => "connector",
        PartKind.Fork => "fork",
        _ => "terminator",
    };
}
