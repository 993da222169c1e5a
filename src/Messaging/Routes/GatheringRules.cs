using Messaging.Configuration;
using Messaging.Intake;
using Messaging.Sources;

namespace Messaging.Routes;

/// <summary>What intake and sources must allow so that messages can wait for each other.</summary>
internal static class GatheringRules
{
    // Between the end of the waiting and the beginning of the processing: a turn on the processor, and a timer's slack.
    private static readonly TimeSpan Reserve = TimeSpan.FromSeconds(5);

    /// <param name="settings">Takes the problems.</param>
    /// <param name="gathering">Who waits for whom.</param>
    /// <param name="processing">The longest that the unit then takes, and what that is in words; null where nothing says so.</param>
    /// <param name="intake">The route's intake.</param>
    /// <param name="sources">The route's sources.</param>
    /// <returns>What a single source can have in flight: a unit may have to fill up from one alone.</returns>
    public static int Check(SettingsReader settings, Gathering gathering, (string What, TimeSpan Time)? processing, IntakeOptions intake, IReadOnlyList<SourcePlan> sources)
    {
        SettingValue<int>[] limits = [new("Intake:Concurrency", intake.Concurrency), .. sources.Select(source => source.MaxInFlight).OfType<SettingValue<int>>()];
        (string key, int most) = gathering.MaxMessages;
        foreach (SettingValue<int> limit in limits.Where(limit => limit.Value < gathering.LeastSlots))
        {
            settings.Fail(
                limit.Key,
                $"{limit.Value}",
                $"must be at least twice {key} = {most}: raise it to {gathering.LeastSlots}, or lower {key} to {limit.Value / 2}.",
                $"The messages that wait would leave no slots for those that could fill their {gathering.Unit}: it would wait for its age each time.");
        }

        CheckTimes(settings, gathering, processing, intake, sources);
        return limits.Min(limit => limit.Value);
    }

    private static void CheckTimes(SettingsReader settings, Gathering gathering, (string What, TimeSpan Time)? processing, IntakeOptions intake, IReadOnlyList<SourcePlan> sources)
    {
        TimeSpan longest = gathering.MaxAge.Value + (processing?.Time ?? TimeSpan.Zero) + Reserve;
        string middle = processing is { } known ? $"{known.What} {Text(known.Time)} + " : string.Empty;
        string sum = $"{gathering.MaxAge.Key} {Text(gathering.MaxAge.Value)} + {middle}{Text(Reserve)}";
        if (intake.MessageTimeout < longest)
        {
            settings.Fail("Intake:MessageTimeout", Text(intake.MessageTimeout), $"must be at least {Text(longest)} ({sum}).", $"Messages would be cut off while their {gathering.Unit} is {gathering.Done}.");
        }

        foreach (HoldLimit hold in sources.Select(source => source.Hold).OfType<HoldLimit>().Where(hold => hold.Longest.Value < hold.InTurn * longest))
        {
            string each = hold.InTurn == 1 ? sum : $"{hold.InTurn} messages of a group, one after another: {sum} each";
            settings.Fail(
                hold.Longest.Key,
                Text(hold.Longest.Value),
                $"must be at least {Text(hold.InTurn * longest)} ({each}).",
                $"Messages would become visible again while they wait in a {gathering.Unit}, and be {gathering.Done} twice.");
        }
    }

    private static string Text(TimeSpan time) => SettingText.Format(time);
}
