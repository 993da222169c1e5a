using System.Text;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Pipeline.Settlements;
using Quayside.Worker;

namespace Messaging.Tests.Envelopes;

/// <summary>Every configuration of docs/guides/recipes.md is valid, and stores the messages beside it as the page says.</summary>
public sealed partial class RecipesPageTests
{
    private static readonly string Page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "recipes.md"));

    public static TheoryData<string, string> Configurations
    {
        get
        {
            TheoryData<string, string> configurations = [];
            foreach ((string title, string text) in Sections())
            {
                configurations.Add(title, Json().Match(text).Groups["json"].Value);
            }

            return configurations;
        }
    }

    public static TheoryData<string, string, string, string, string> Messages
    {
        get
        {
            TheoryData<string, string, string, string, string> messages = [];
            foreach ((string title, string text) in Sections())
            {
                foreach (Match row in Row().Matches(text))
                {
                    messages.Add(
                        title, Json().Match(text).Groups["json"].Value, row.Groups["beside"].Value, row.Groups["received"].Value, row.Groups["key"].Value);
                }
            }

            return messages;
        }
    }

    [Fact]
    public void Page_HasARecipePerSection()
    {
        Configurations.Count().ShouldBe(12);
        Messages.Count().ShouldBe(10);
    }

    [Theory]
    [MemberData(nameof(Configurations))]
    public void Configuration_OfARecipe_IsValid(string title, string json)
    {
        MessageWorkerBuilder worker = new(new ServiceCollection());
        Program.AddFeatures(worker);

        WorkerPlan plan = new WorkerPlanner(Read(json), worker.Features).Plan();

        plan.Errors.ShouldBeEmpty(title);
        plan.Routes.ShouldHaveSingleItem();
    }

    [Theory]
    [MemberData(nameof(Messages))]
    public async Task Message_OfARecipe_IsStoredAsThePageSays(string title, string json, string beside, string received, string key)
    {
        // The worker of the recipe, with a source and a sink of the test.
        KeyValuePair<string, string?>[] settings =
        [
            .. Read(json)
                .AsEnumerable()
                .Where(setting => setting.Value is not null
                    && !setting.Key.StartsWith("Sources:", StringComparison.Ordinal)
                    && !setting.Key.StartsWith("Sinks:", StringComparison.Ordinal)
                    && !setting.Key.EndsWith(":Source", StringComparison.Ordinal))
                    .Select(
                        setting => setting.Key.EndsWith(":Sink", StringComparison.Ordinal)
                            ? KeyValuePair.Create(setting.Key, (string?)TestWorker.Sink)
                            : setting),
        ];
        await using TestWorker worker = await TestWorker.StartAsync(worker => worker.AddEnvelopes().AddExtendedClient().AddArchive(), settings);
        KeyValuePair<string, string>[] attributes =
            [.. Header().Matches(beside).Select(header => KeyValuePair.Create(header.Groups["name"].Value, header.Groups["value"].Value))];
        SentMessage message = attributes.Length == 0 && beside.Trim(' ', '`', '|') is { Length: > 0 } group
            ? worker.Send(Encoding.UTF8.GetBytes(received), group: group)
            : worker.Send(Encoding.UTF8.GetBytes(received), attributes: attributes);

        Settlement settlement = await worker.WhenSettledAsync(message);

        settlement.ShouldBe(Settlement.Complete, title);
        worker.Stored.Objects.Keys.ShouldBe([key]);
    }

    private static IConfigurationRoot Read(string json) => new ConfigurationBuilder().AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(json))).Build();

    private static IEnumerable<(string Title, string Text)> Sections() =>
        Page.Split("\n## ")[1..].Select(section => (section[..section.IndexOf('\n', StringComparison.Ordinal)], section));

    [GeneratedRegex("^```json\\n(?<json>.+?)^```$", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Json();

    [GeneratedRegex("^\\|(?<beside>[^{}|]*\\|)? `(?<received>[{\\[].+?)` \\| `(?<key>.+)` \\|$", RegexOptions.Multiline | RegexOptions.ExplicitCapture)]
    private static partial Regex Row();

    [GeneratedRegex("`(?<name>[A-Za-z-]+): (?<value>[^`]+)`", RegexOptions.ExplicitCapture)]
    private static partial Regex Header();
}
