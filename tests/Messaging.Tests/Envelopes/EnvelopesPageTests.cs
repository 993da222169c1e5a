using System.Text;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Pipeline.Settlements;
using Quayside.Worker;

namespace Messaging.Tests.Envelopes;

/// <summary>What docs/guides/envelopes.md and http-senders.md show is so.</summary>
public sealed partial class EnvelopesPageTests
{
    private static readonly string Page = Read("envelopes.md");
    private static readonly string Senders = Read("http-senders.md");

    public static TheoryData<string, string, string> Rows
    {
        get
        {
            TheoryData<string, string, string> rows = [];
            foreach (Match row in Row().Matches(Page))
            {
                rows.Add(row.Groups["envelope"].Value, row.Groups["received"].Value, row.Groups["gets"].Value);
            }

            return rows;
        }
    }

    public static TheoryData<string> Configurations => [.. Fence().Matches(Page + Senders).Select(match => match.Groups["json"].Value)];

    [Fact]
    public void Page_HasRowsAndConfigurations()
    {
        Rows.Count().ShouldBe(11);
        Configurations.Count().ShouldBe(5);
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Row_OfThePage_IsWhatTheHandlerGets(string envelope, string received, string gets)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(envelope);

        Settlement settlement = await worker.SendAsync(received.Replace('⏎', '\n'));

        settlement.ShouldBe(Settlement.Complete);
        worker.Stored.Objects.Values.Select(Encoding.UTF8.GetString).ShouldBe(gets.Split("` and `"), ignoreOrder: true);
    }

    [Theory]
    [MemberData(nameof(Configurations))]
    public void Configuration_OfThePage_IsValid(string json)
    {
        MessageWorkerBuilder worker = new(new ServiceCollection());
        Program.AddFeatures(worker);
        IConfiguration configuration = new ConfigurationBuilder().AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(json))).Build();

        WorkerPlan plan = new WorkerPlanner(configuration, worker.Features).Plan();

        plan.Errors.ShouldBeEmpty();
        plan.Routes.ShouldHaveSingleItem();
    }

    [Fact]
    public void Reasons_OfThePage_AreThoseOfTheCode()
    {
        string[] reasons = [.. typeof(Quayside.Messaging.Envelopes.EnvelopeFeature).Assembly.GetTypes()
            .SelectMany(
                type => type.GetFields(
                    System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic))
            .Where(field => field.IsLiteral && field.Name.EndsWith("Reason", StringComparison.Ordinal))
            .Select(field => (string)field.GetRawConstantValue()!)];

        reasons.ShouldNotBeEmpty();
        reasons.ShouldAllBe(reason => Page.Contains($"`{reason}`", StringComparison.Ordinal));
    }

    private static string Read(string page) => File.ReadAllText(Path.Combine(AppContext.BaseDirectory, page));

    [GeneratedRegex(
        "^\\| `(?<envelope>[A-Za-z0-9, ]+)` \\| `(?<received>.+?)` \\| `(?<gets>\\{.+)` \\|$", RegexOptions.Multiline | RegexOptions.ExplicitCapture)]
    private static partial Regex Row();

    [GeneratedRegex("^```json\\n(?<json>.+?)^```$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Fence();
}
