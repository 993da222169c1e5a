namespace Integration.Tests.Faults.S3;

/// <summary>
/// Which fault strikes which request: the first matching rule decides. The same seed strikes the same request numbers on
/// every run, whatever the timing, because the random number is a function of seed, rule and request number.
/// </summary>
internal sealed record FaultScript(ulong Seed, params IReadOnlyList<FaultRule> Rules)
{
    public static FaultScript Empty { get; } = new(0);

    /// <summary>Strikes the n-th PUT, counted from 1.</summary>
    public FaultScript OnPut(int number, S3Fault fault) => With(new FaultRule { Fault = fault, First = number, Last = number });

    /// <summary>Strikes every PUT from <paramref name="first"/> to <paramref name="last"/>.</summary>
    public FaultScript OnPuts(int first, int last, S3Fault fault) => With(new FaultRule { Fault = fault, First = first, Last = last });

    /// <summary>Strikes every PUT, until the script is replaced.</summary>
    public FaultScript OnEveryPut(S3Fault fault) => With(new FaultRule { Fault = fault });

    public FaultScript With(FaultRule rule) => this with { Rules = [.. Rules, rule] };

    /// <summary>The rule for the n-th request of its operation; null when no rule matches.</summary>
    public FaultRule? For(S3Operation operation, int number)
    {
        for (int index = 0; index < Rules.Count; index++)
        {
            FaultRule rule = Rules[index];
            if (rule.Operation == operation && number >= rule.First && number <= rule.Last && Chance(index, number) < rule.Probability)
            {
                return rule;
            }
        }

        return null;
    }

    /// <summary>Uniform in [0, 1): SplitMix64's finalizer (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).</summary>
    private double Chance(int rule, int number)
    {
        ulong mixed = Seed + (0x9E3779B97F4A7C15 * (((ulong)rule << 32) + (ulong)number));
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        mixed ^= mixed >> 31;
        return (mixed >> 11) * (1.0 / (1UL << 53));
    }
}
